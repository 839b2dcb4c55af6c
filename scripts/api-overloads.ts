/**
 * Shows overloads in the API reference where a signature has a conditional type. The sources have none: with overloads, a
 * compiler error would list each of them instead of naming the wrong field, and a function that passes its own type
 * parameter on would lose it.
 */
import {
  Comment,
  ConditionalType,
  DeclarationReflection,
  InferredType,
  IntersectionType,
  IntrinsicType,
  LiteralType,
  ParameterReflection,
  ReferenceType,
  ReflectionFlag,
  ReflectionKind,
  ReflectionType,
  SignatureReflection,
  TypeParameterReflection,
  UnionType,
} from 'typedoc';
import type { ProjectReflection, SomeType } from 'typedoc';

/** One way to call a method: what its type parameter is, and what the conditional type becomes. */
interface Overload {
  /** What a parameter has in place of the type parameter, or of a condition on it. */
  argument: SomeType;
  result: SomeType;
  /** The type parameter of the overload itself. */
  infers?: string;
}

/** Replaces each signature with a conditional type by overloads. */
export function splitConditions(project: ProjectReflection): void {
  for (const method of project.getReflectionsByKind(ReflectionKind.Method)) {
    if (!method.isDeclaration() || !method.signatures) continue;
    method.signatures = method.signatures.flatMap((signature) => {
      const condition = signature.type && conditionIn(signature.type);
      const [parameter] = signature.typeParameters ?? [];
      if (condition === undefined || parameter?.name !== condition.checkType.toString())
        return [signature];
      return overloadsOf(condition, parameter.type).map((overload, index) =>
        sign(signature, parameter, overload, index),
      );
    });
  }
}

/** The condition in the type of a result, such as `RequestPromise<Streamed extends true ? … : …>`. */
function conditionIn(type: SomeType): ConditionalType | undefined {
  if (type instanceof ConditionalType) return type;
  const parts = type instanceof ReferenceType ? (type.typeArguments ?? []) : [];
  return parts.map(conditionIn).find((found) => found !== undefined);
}

/** The overload without the parameter first, as that is the most common call. */
function overloadsOf(condition: ConditionalType, constraint: SomeType | undefined): Overload[] {
  const branches: Overload[] = [];
  let rest: SomeType = condition;
  while (rest instanceof ConditionalType) {
    const inferred =
      rest.extendsType instanceof ReferenceType
        ? rest.extendsType.typeArguments?.find((type) => type instanceof InferredType)
        : undefined;
    branches.push({
      argument: rest.extendsType,
      result: rest.trueType,
      ...(inferred && { infers: inferred.name }),
    });
    rest = rest.falseType;
  }
  const checked = branches.map(({ argument }) => argument.toString());
  const others = typesIn(constraint).filter((type) => !checked.includes(type.toString()));
  const [other, ...more] = others;
  const argument =
    other === undefined
      ? new IntrinsicType('unknown')
      : more.length === 0
        ? other
        : new UnionType(others);
  const last = { argument, result: rest };
  return constraint ? [last, ...branches] : [...branches, last];
}

function typesIn(constraint: SomeType | undefined): SomeType[] {
  if (constraint === undefined) return [];
  const types = constraint instanceof UnionType ? constraint.types : [constraint];
  return types.flatMap((type) =>
    type.toString() === 'boolean' ? [new LiteralType(true), new LiteralType(false)] : [type],
  );
}

/** The signature of an overload. */
function sign(
  original: SignatureReflection,
  parameter: TypeParameterReflection,
  { argument, result, infers }: Overload,
  index: number,
): SignatureReflection {
  const { project, name, parent } = original;
  const isLiteral = argument instanceof LiteralType;
  const signature = new SignatureReflection(name, original.kind, parent);
  project.registerReflection(signature, undefined, undefined);
  const replace = (type: SomeType): SomeType => {
    if (type instanceof ConditionalType)
      return type.toString().includes(parameter.name) ? argument : type;
    if (type.toString() === parameter.name) return argument;
    if (type instanceof IntersectionType) return new IntersectionType(type.types.map(replace));
    if (type instanceof ReflectionType) return objectWith(type, replace, isLiteral);
    return type instanceof ReferenceType ? referenceWith(type, replace, project) : type;
  };
  signature.parameters = (original.parameters ?? []).map((given) => {
    const copy = new ParameterReflection(given.name, given.kind, signature);
    project.registerReflection(copy, undefined, undefined);
    if (given.type) copy.type = replace(given.type);
    const isChanged = given.type?.toString() !== copy.type?.toString();
    copy.setFlag(ReflectionFlag.Optional, given.flags.isOptional && !(isChanged && isLiteral));
    if (given.comment) copy.comment = given.comment.clone();
    return copy;
  });
  if (infers !== undefined) {
    const inferred = new TypeParameterReflection(infers, signature, undefined);
    project.registerReflection(inferred, undefined, undefined);
    signature.typeParameters = [inferred];
  }
  const give = (type: SomeType): SomeType =>
    type instanceof ConditionalType
      ? result
      : type instanceof ReferenceType
        ? referenceWith(type, give, project)
        : type;
  if (original.type) signature.type = give(original.type);
  signature.comment = commentOf(original.comment ?? new Comment(), index);
  return signature;
}

/** The same object type with other types of its properties. A property with a literal type is required. */
function objectWith(
  { declaration }: ReflectionType,
  replace: (type: SomeType) => SomeType,
  isRequired: boolean,
): ReflectionType {
  const { project } = declaration;
  const copy = new DeclarationReflection(declaration.name, declaration.kind, declaration.parent);
  project.registerReflection(copy, undefined, undefined);
  copy.children = (declaration.children ?? []).map(({ name, kind, type, flags }) => {
    const property = new DeclarationReflection(name, kind, copy);
    project.registerReflection(property, undefined, undefined);
    if (type) property.type = replace(type);
    property.setFlag(ReflectionFlag.Optional, flags.isOptional && !isRequired);
    return property;
  });
  return new ReflectionType(copy);
}

function referenceWith(
  type: ReferenceType,
  replace: (type: SomeType) => SomeType,
  project: ProjectReflection,
): ReferenceType {
  const { name, reflection, typeArguments = [] } = type;
  const replaced = typeArguments.map(replace);
  if (reflection === undefined || replaced.every((given, index) => given === typeArguments[index]))
    return type;
  const copy = ReferenceType.createResolvedReference(name, reflection, project);
  copy.typeArguments = replaced;
  return copy;
}

/** The first overload has the documentation. */
function commentOf(original: Comment, index: number): Comment {
  const text = 'Its errors are those of the first signature.';
  return index === 0 ? original.clone() : new Comment([{ kind: 'text', text }]);
}

/**
 * Shows the alternatives of a condition inside an object type as a union. `ChatResult`, for example, has `parsed` if there is a
 * schema.
 */
export function joinConditions(project: ProjectReflection): void {
  for (const alias of project.getReflectionsByKind(ReflectionKind.TypeAlias))
    if (alias.isDeclaration() && alias.type) joinIn(alias.type);
}

function joinIn(type: SomeType): void {
  if (!(type instanceof IntersectionType || type instanceof UnionType)) return;
  type.types = type.types.map((part) => {
    joinIn(part);
    return part instanceof ConditionalType ? new UnionType([part.trueType, part.falseType]) : part;
  });
}
