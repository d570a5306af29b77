import ts from "typescript";

/** Library types that have no method which changes them. */
const READONLY_TYPES = new Set(["ReadonlyArray", "ReadonlyMap", "ReadonlySet"]);

/**
 * Finds the state that can be written through a value without a request to its owner: fields that are not readonly, lists,
 * maps and sets, other library objects, and the classes of the actors. Private fields, methods and functions are skipped.
 */
export class WritableState {
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** The findings in a type, each with its path. */
  in(type: ts.Type): readonly string[] {
    return this.#checker.getPropertiesOfType(type).flatMap((member) => this.#inField(member, "", new Set()));
  }

  #inField(field: ts.Symbol, parent: string, seen: Set<ts.Type>): readonly string[] {
    if (isMethod(field) || isPrivate(field)) return [];
    const path = parent + field.name;
    const found = this.#inType(this.#checker.getTypeOfSymbol(field), path, seen);
    return isReadonly(field) ? found : [`${path} can be assigned`, ...found];
  }

  #inType(type: ts.Type, path: string, seen: Set<ts.Type>): readonly string[] {
    if (seen.has(type)) return [];
    seen.add(type);
    if (type.isUnion()) return type.types.flatMap((part) => this.#inType(part, path, seen));
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return [];
    if (this.#checker.isTupleType(type)) return this.#inTuple(type, path, seen);
    if (isOf(type, "/node_modules/")) return this.#inLibraryType(type, path, seen);
    if (type.isClass() && isOf(type, "/actors/")) return [`${path} is the class ${type.symbol.name}`];
    return [
      ...this.#checker.getPropertiesOfType(type).flatMap((field) => this.#inField(field, `${path}.`, seen)),
      ...this.#checker
        .getIndexInfosOfType(type)
        .flatMap((index) => [
          ...(index.isReadonly ? [] : [`${path} can be extended`]),
          ...this.#inType(index.type, `${path}[]`, seen),
        ]),
    ];
  }

  #inTuple(type: ts.Type, path: string, seen: Set<ts.Type>): readonly string[] {
    const parts = this.#partsOf(type, path, seen);
    return this.#checker.typeToString(type).startsWith("readonly ") ? parts : [`${path} is a list`, ...parts];
  }

  #inLibraryType(type: ts.Type, path: string, seen: Set<ts.Type>): readonly string[] {
    const { name } = type.symbol;
    if (READONLY_TYPES.has(name)) return this.#partsOf(type, path, seen);
    return type.getCallSignatures().length > 0 ? [] : [`${path} is of the type ${name}`];
  }

  #partsOf(type: ts.Type, path: string, seen: Set<ts.Type>): readonly string[] {
    const parts = isReference(type) ? this.#checker.getTypeArguments(type) : [];
    return parts.flatMap((part) => this.#inType(part, `${path}[]`, seen));
  }
}

/** A property of a mapped type such as `Pick` has the declarations of the original. */
const isMethod = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((each) => ts.isMethodSignature(each) || ts.isMethodDeclaration(each));

const isPrivate = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((each) => {
    const name = ts.getNameOfDeclaration(each);
    return (
      (name && ts.isPrivateIdentifier(name)) || ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Private
    );
  });

const isReadonly = ({ declarations = [], flags }: ts.Symbol): boolean =>
  flags & ts.SymbolFlags.Accessor
    ? !(flags & ts.SymbolFlags.SetAccessor)
    : declarations.every(
        (each) => ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Readonly || isInConstant(each),
      );

/** Whether a property is declared in a value `as const`, whose type is used. */
const isInConstant = (declaration: ts.Declaration): boolean =>
  ts.findAncestor(declaration, (node) => ts.isAsExpression(node) && ts.isConstTypeReference(node.type)) !==
  undefined;

const isReference = (type: ts.Type): type is ts.TypeReference => "target" in type;

/** Whether a named type is declared in a folder. Mapped types have no name. */
const isOf = ({ symbol }: ts.Type, folder: string): boolean =>
  symbol.name !== "__type" &&
  (symbol.declarations ?? []).some((each) => each.getSourceFile().fileName.includes(folder));
