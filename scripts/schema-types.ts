/** Writes types of TypeScript as expressions that create their zod schemas. */
import ts from 'typescript';

import { integerTag, limits } from './schema-tags.ts';
import type { Tags } from './schema-tags.ts';

/** What an expression needs to know of its surroundings. */
export interface TypeContext {
  readonly checker: ts.TypeChecker;
  /** The node of the type, which has the order of the source: compilers sort the members of unions. */
  readonly node: ts.TypeNode | undefined;
  /** What the comment of the field says about it. */
  readonly tags: Tags;
  /** Returns the name of the constant for an object type. */
  readonly objectName: (type: ts.Type) => string;
}

const text = (value: unknown) => JSON.stringify(value);

/** The expression for a field. `isOptional` is whether it can be absent. */
export function fieldExpression(type: ts.Type, isOptional: boolean, context: TypeContext): string {
  const isNullable = membersOf(type, context).some(({ flags }) => flags & ts.TypeFlags.Null);
  const inner = typeExpression(type, context);
  if (isOptional && isNullable) return `z.nullish(${inner})`;
  if (isOptional) return `z.optional(${inner})`;
  return isNullable ? `z.nullable(${inner})` : inner;
}

/** The expression for a type, without `null` and `undefined`. */
export function typeExpression(type: ts.Type, context: TypeContext): string {
  const members = membersOf(type, context).filter(
    ({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)),
  );
  const strings = members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []));
  if (members.some(isAnyString)) return `openString(${strings.map(text).join(', ')})`;
  const objects = members.filter((member) => isObject(member, context.checker));
  const others = members.filter((member) => !member.isStringLiteral() && !objects.includes(member));
  const expressions = [
    ...(strings.length > 0 ? [literals('enum', strings)] : []),
    ...simpleExpressions(others, context),
    ...(objects.length > 0 ? [objectExpression(objects, context)] : []),
  ];
  if (expressions.length === 0) return 'z.never()';
  return expressions.length === 1 ? `${expressions[0]}` : `either(${expressions.join(', ')})`;
}

/** The members of a union in the order of the source, or the type itself. */
function membersOf(type: ts.Type, { checker, node }: TypeContext): ts.Type[] {
  const concrete = type.flags & ts.TypeFlags.Instantiable ? constraintOf(type, checker) : type;
  if (!concrete.isUnion()) return [concrete];
  const order = node === undefined ? [] : namesIn(node, checker);
  const position = (member: ts.Type) => {
    const index = order.indexOf(nameOf(member, checker));
    return index < 0 ? order.length : index;
  };
  return concrete.types.toSorted((one, other) => position(one) - position(other));
}

/** The type that a parameter of a generic type stands for. */
const constraintOf = (type: ts.Type, checker: ts.TypeChecker): ts.Type =>
  type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.IndexedAccess)
    ? (checker.getBaseConstraintOfType(type) ?? type)
    : type;

/** The names and literals in the node of a type, also of the types that it refers to. */
function namesIn(node: ts.Node, checker: ts.TypeChecker): string[] {
  if (ts.isTypeLiteralNode(node)) return [];
  if (ts.isLiteralTypeNode(node)) {
    return [ts.isStringLiteral(node.literal) ? node.literal.text : node.getText()];
  }
  const own = ts.isTypeReferenceNode(node) || isKeyword(node) ? [node.getText()] : [];
  const parts: string[] = [];
  ts.forEachChild(node, (child) => void parts.push(...namesIn(child, checker)));
  return [...own, ...parts, ...aliased(node, checker)];
}

const isKeyword = ({ kind }: ts.Node) =>
  kind === ts.SyntaxKind.StringKeyword || kind === ts.SyntaxKind.NumberKeyword;

/** The names and literals in the alias that a node refers to. */
function aliased(node: ts.Node, checker: ts.TypeChecker): string[] {
  if (!ts.isTypeReferenceNode(node)) return [];
  const symbol = checker.getSymbolAtLocation(node.typeName);
  const target =
    symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const alias = target?.declarations?.find(ts.isTypeAliasDeclaration);
  return alias === undefined ? [] : namesIn(alias.type, checker);
}

const nameOf = (type: ts.Type, checker: ts.TypeChecker): string =>
  type.isStringLiteral() ? type.value : checker.typeToString(type);

/** Whether a type is the `string & {}` of an `OpenString`. */
const isAnyString = (type: ts.Type) =>
  type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String);

/** Whether a type is an object with fields of its own. */
function isObject(type: ts.Type, checker: ts.TypeChecker): boolean {
  const { symbol } = type;
  if (type.isIntersection()) return !isAnyString(type);
  if (!(type.flags & ts.TypeFlags.Object) || symbol?.name === 'Date') return false;
  return !checker.isArrayType(type) && !checker.isTupleType(type) && !isDictionary(type);
}

/** Whether a type is a `Record<string, …>`. */
const isDictionary = (type: ts.Type) =>
  type.getProperties().length === 0 && type.getStringIndexType() !== undefined;

const isNamed = ({ symbol }: ts.Type) => (symbol.flags & ts.SymbolFlags.Interface) !== 0;

/** Objects: one, or several of which a field tells which. */
function objectExpression(objects: readonly ts.Type[], { checker, ...context }: TypeContext) {
  const [first, ...others] = objects.map((type) =>
    type.isIntersection() ? (type.types.find(isNamed) ?? type) : type,
  );
  if (first === undefined) throw new TypeError('There is no object');
  if (others.length === 0) return context.objectName(first);
  const all = [first, ...others];
  const fields = checker.getPropertiesOfType(first).map(({ name }) => name);
  const tells = fields.find((name) =>
    all.every((type) => {
      const field = type.getProperty(name);
      const value = field && checker.getTypeOfSymbol(field);
      return value && (value.isUnion() ? value.types : [value]).every((one) => one.isLiteral());
    }),
  );
  const names = all.map((type) => context.objectName(type)).join(', ');
  if (tells === undefined) return `either(${names})`;
  return `oneOf(${text(tells)}, [${names}])`;
}

function literals(kind: string, values: readonly unknown[]): string {
  return values.length === 1 ? `z.literal(${text(values[0])})` : `z.${kind}(${text(values)})`;
}

/** The expressions for types that are no objects. */
function simpleExpressions(types: readonly ts.Type[], context: TypeContext): string[] {
  const { checker, tags } = context;
  const numbers = types.flatMap((type) => (type.isNumberLiteral() ? [type.value] : []));
  const booleans = types.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral);
  const others = types.filter(
    (type) => !type.isNumberLiteral() && !(type.flags & ts.TypeFlags.BooleanLiteral),
  );
  const [boolean] = booleans.map((type) => checker.typeToString(type));
  return [
    ...(numbers.length > 0 ? [literals('literal', numbers)] : []),
    ...(booleans.length > 0 ? [booleans.length > 1 ? 'z.boolean()' : `z.literal(${boolean})`] : []),
    ...others.map((type) => {
      if (type.flags & ts.TypeFlags.String) return limited('z.string()', tags);
      if (type.flags & ts.TypeFlags.Number) {
        return limited(integerTag in tags ? 'z.int()' : 'z.number()', tags);
      }
      return structureExpression(type, context);
    }),
  ];
}

/** Adds the limits that a comment names. */
function limited(schema: string, tags: Tags): string {
  const checks = Object.entries(limits).flatMap(([tag, check]) =>
    tags[tag] === undefined ? [] : [`z.${check}(${tags[tag]})`],
  );
  return checks.length === 0 ? schema : `limited(${[schema, ...checks].join(', ')})`;
}

/** The expression for a list, a dictionary and the like. */
function structureExpression(type: ts.Type, context: TypeContext): string {
  const { checker } = context;
  const of = (part: ts.Type) => fieldExpression(part, false, { ...context, tags: {} });
  if (type.flags & ts.TypeFlags.Unknown) return 'z.unknown()';
  if (type.symbol?.name === 'Date') return 'date()';
  const [item] = isReference(type) ? checker.getTypeArguments(type) : [];
  if (item && checker.isArrayType(type)) {
    return type.symbol.name === 'ReadonlyArray' ? `listOf(${of(item)})` : `z.array(${of(item)})`;
  }
  if (item && isReference(type) && checker.isTupleType(type)) {
    // The only one so far: a list with at least one item.
    return `z.tuple([${of(item)}], ${of(item)})`;
  }
  const values = type.getStringIndexType();
  if (values !== undefined) return `z.record(z.string(), ${of(values)})`;
  if (isTemplate(type)) {
    const parts = type.texts.flatMap((part, index) => [
      ...(part === '' ? [] : [text(part)]),
      ...(type.types[index] ? [of(type.types[index])] : []),
    ]);
    return `z.templateLiteral([${parts.join(', ')}])`;
  }
  throw new TypeError(`No schema for the type ${checker.typeToString(type)}`);
}

const isReference = (type: ts.Type): type is ts.TypeReference =>
  (type.flags & ts.TypeFlags.Object) !== 0 && 'target' in type;

const isTemplate = (type: ts.Type): type is ts.TemplateLiteralType =>
  (type.flags & ts.TypeFlags.TemplateLiteral) !== 0;
