import path from "node:path";
import ts from "typescript";
import { docBefore } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";
import { doors, root } from "./program.ts";

/** A code of the package: where it is declared decides what it means. */
export interface ErrorCode {
  readonly code: string;
  /** Exported errors, or unions of codes that a value carries, sorted. */
  readonly holders: readonly string[];
  readonly meaning: string;
  readonly action: string;
}

interface Found {
  readonly code: string;
  readonly doc: string;
  readonly holders: Set<string>;
}

/** Read the codes of all exported errors, result types and unions of codes, with their docstrings. */
export function errorCodesIn(program: ts.Program): readonly ErrorCode[] {
  const checker = program.getTypeChecker();
  const found = new Map<string, Found>();
  const add = (holder: string, literals: readonly ts.StringLiteral[]): void => {
    for (const literal of literals) {
      const entry = found.get(keyOf(literal)) ?? {
        code: literal.text,
        doc: docOf(literal),
        holders: new Set(),
      };
      entry.holders.add(holder);
      found.set(keyOf(literal), entry);
    }
  };
  const exported = [...doors.values()].flatMap((source) => exportsOf(program, checker, source));
  for (const { name, declaration } of exported)
    if (ts.isClassDeclaration(declaration)) add(name, literalsIn(checker, codeOf(declaration)));
  for (const { name, declaration } of exported) {
    if (!ts.isTypeAliasDeclaration(declaration) || !/(?:Code|Refusal|Fault|Result)$/.test(name)) continue;
    const literals = literalsIn(checker, declaration.type);
    // The list of an error is named by the error.
    if (name.endsWith("Result") || !literals.every((literal) => found.has(keyOf(literal))))
      add(name, literals);
  }
  return merged([...found.values()]);
}

const keyOf = (node: ts.Node): string => `${node.getSourceFile().fileName}:${node.getStart()}`;

interface Exported {
  readonly name: string;
  readonly declaration: ts.Declaration;
}

function exportsOf(program: ts.Program, checker: ts.TypeChecker, source: string): readonly Exported[] {
  const file = program.getSourceFile(path.join(root, source));
  const module = file && checker.getSymbolAtLocation(file);
  return (module === undefined ? [] : checker.getExportsOfModule(module)).flatMap((symbol) =>
    (realOf(checker, symbol).declarations ?? []).map((declaration) => ({ name: symbol.name, declaration })),
  );
}

const realOf = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** The texts of a type, of the `code` of its members, and of the types that it names and gives to others. */
function literalsIn(checker: ts.TypeChecker, node: ts.Node | undefined): readonly ts.StringLiteral[] {
  if (node === undefined) return [];
  return ts.isStringLiteral(node)
    ? [node]
    : partsOf(checker, node).flatMap((part) => literalsIn(checker, part));
}

function partsOf(checker: ts.TypeChecker, node: ts.Node): readonly ts.Node[] {
  if (ts.isUnionTypeNode(node)) return node.types;
  if (ts.isParenthesizedTypeNode(node)) return [node.type];
  if (ts.isLiteralTypeNode(node)) return [node.literal];
  if (ts.isTypeLiteralNode(node))
    return node.members
      .filter(ts.isPropertySignature)
      .flatMap(({ name, type }) => (name.getText() === "code" && type !== undefined ? [type] : []));
  const symbol = ts.isTypeReferenceNode(node) ? checker.getSymbolAtLocation(node.typeName) : undefined;
  const named = symbol && realOf(checker, symbol).declarations?.find(ts.isTypeAliasDeclaration);
  const given = ts.isTypeReferenceNode(node) ? (node.typeArguments ?? []) : [];
  return named === undefined ? given : [named.type, ...given];
}

/** The type, or else the value, of a class's own `code`. */
function codeOf(declaration: ts.ClassDeclaration): ts.Node | undefined {
  const code = declaration.members
    .filter(ts.isPropertyDeclaration)
    .find(({ name }) => name.getText() === "code");
  return code?.type ?? code?.initializer;
}

/** The docstring right before a member of a union, or before the property that holds the literal. */
const docOf = (node: ts.StringLiteral): string =>
  docBefore(ts.findAncestor(node, ts.isPropertyDeclaration) ?? node);

/** A code without a docstring of its own means what its only documented namesake means. */
function merged(all: readonly Found[]): readonly ErrorCode[] {
  const documented = all.filter(({ doc }) => doc !== "");
  for (const { code, holders } of all.filter(({ doc }) => doc === "")) {
    const [same, ...others] = documented.filter((other) => other.code === code);
    if (same === undefined || others.length > 0)
      throw new Error(`Expected a docstring before the code ${code} of ${[...holders].join(", ")}.`);
    for (const holder of holders) same.holders.add(holder);
  }
  return documented
    .map(({ code, doc, holders }) => {
      const [, meaning = "", action = ""] = /^(.*?\.) (.*)$/.exec(doc) ?? [];
      if (action === "")
        throw new Error(`Expected the docstring of ${code} to say what it means, then what to do.`);
      return { code, holders: [...holders].sort(), meaning, action };
    })
    .sort((a, b) => order(a).localeCompare(order(b), "en"));
}

const order = ({ code, holders }: ErrorCode): string => `${holders[0]} ${code}`;

/** Format the codes as the table of `docs/reference/errors.md`. */
export const errorTable = (codes: readonly ErrorCode[]): string =>
  formatTable(
    ["code", "class", "meaning", "what to do"],
    codes.map(({ code, holders, meaning, action }) => [
      `\`${code}\``,
      holders.map((name) => `\`${name}\``).join(", "),
      meaning,
      action,
    ]),
  );
