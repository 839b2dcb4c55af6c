import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { diagnose } from 'polygate/doctor';
import type { AssumptionId, DiagnoseOptions, Diagnosis, DiagnosisCheck } from './types.ts';
import { createMockGateway } from 'polygate/mock';
import type { MockGatewayOptions } from 'polygate/mock';
import { expect, onTestFinished } from 'vitest';
