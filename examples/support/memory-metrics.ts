import { DataPointType, MetricReader } from '@opentelemetry/sdk-metrics';

/** Keeps metrics in this process, and prints their totals. */
export class MemoryMetrics extends MetricReader {
  /** Prints the total of each counter that has counted something, by model. */
  async print(): Promise<void> {
    const { resourceMetrics } = await this.collect();
    for (const { metrics } of resourceMetrics.scopeMetrics) {
      for (const { descriptor, dataPointType, dataPoints } of metrics) {
        if (dataPointType !== DataPointType.SUM) continue;
        const unit = descriptor.unit === '{USD}' ? ' USD' : '';
        for (const { attributes, value } of dataPoints.filter((point) => point.value !== 0)) {
          const model = String(attributes['gen_ai.request.model']);
          console.log(`  ${descriptor.name.padEnd(45)}${model.padEnd(14)}${value}${unit}`);
        }
      }
    }
  }

  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}
