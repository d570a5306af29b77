import path from "node:path";
import ts from "typescript";

/** A place where the result of an operation that can refuse is not used. */
export interface UnusedRefusal {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const root = path.join(import.meta.dirname, "../..");

/** Results that nothing needs to use, as `file: text`, with the reason. */
export const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  [
    "client/roo/extension/extension-client.ts: () => this.launch()",
    "The event `error` of the client has the refusal.",
  ],
  [
    'client/remote/remote-task.ts: this.#capabilities.has("stdin:launch").then((isOffered) => isOffered && this.#client.launch(), nothing)',
    "`PendingCommands` reports what the process does not accept.",
  ],
  ["cli/stream/stream-task.ts: ask.reject()", "A cancelled task whose ask has closed needs no decline."],
  [
    "runtime/subtasks/subtask.ts: task.changePermissions(permissions)",
    "Only a closed task refuses it: it does not run.",
  ],
  [
    "runtime/subtasks/subtask.ts: resume.approve()",
    "The commits of the subtask have its end, also if another caller resumed it.",
  ],
  [
    'examples/invoke-machine.ts: (ask) => ask.answer({ kind: "yes" })',
    "Nothing else answers in this program.",
  ],
  ['examples/subtask.ts: ask.answer("Mars")', "Nothing else answers in this program."],
  ["examples/workers.ts: ask.approve()", "Nothing else answers in this program."],
]);

/** The name of a place in {@link EXCEPTIONS}. */
export const placeOf = ({ file, text }: UnusedRefusal): string => `${file}: ${text}`;

/**
 * The configurations that together have all code of the package and its examples. A file is read with the first one that has
 * it: the last has what runs in a browser.
 */
const CONFIGS = ["tsconfig.json", "client/react/tsconfig.json", "visualize/page/tsconfig.json"];

const BROWSER = path.join(root, "examples/web/chat.tsx");

const isChecked = (file: string): boolean =>
  !/\/(?:test|bench|node_modules|dist)\//.test(file.slice(root.length));

/** The programs of the package; with a `seed`, a program of one file that exists nowhere, and what it imports. */
export function packagePrograms(seed?: {
  readonly file: string;
  readonly text: string;
}): readonly ts.Program[] {
  const [node, react, browser] = CONFIGS.map((config) => {
    const file = path.join(root, config);
    const { config: json } = ts.readConfigFile(file, ts.sys.readFile);
    return ts.parseJsonConfigFileContent(json, ts.sys, path.dirname(file));
  });
  if (node === undefined || react === undefined || browser === undefined) return [];
  if (seed !== undefined) return [programOf([seed.file], node.options, seed)];
  return [
    programOf([...node.fileNames, ...react.fileNames], node.options),
    programOf([...browser.fileNames, BROWSER], browser.options),
  ];
}

function programOf(
  names: readonly string[],
  options: ts.CompilerOptions,
  seed?: { readonly file: string; readonly text: string },
): ts.Program {
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => (name === seed?.file ? seed.text : readFile(name));
  host.fileExists = (name) => name === seed?.file || fileExists(name);
  return ts.createProgram(names.filter(isChecked), options, host);
}

/**
 * The expressions whose value can be a refusal, and which nothing reads: a statement, also with `await` or `void`, and a
 * function whose caller expects no value.
 */
export function unusedRefusals(
  programs: readonly ts.Program[],
  isRead: (file: string) => boolean = isChecked,
): readonly UnusedRefusal[] {
  const found: UnusedRefusal[] = [];
  const read = new Set<string>();
  for (const program of programs) {
    const checker = program.getTypeChecker();
    for (const source of program.getSourceFiles()) {
      const { fileName } = source;
      if (source.isDeclarationFile || !isRead(fileName) || read.has(fileName)) continue;
      read.add(fileName);
      for (const node of unusedIn(source, checker)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ file: path.relative(root, fileName), line: line + 1, text: node.getText() });
      }
    }
  }
  return found;
}

function unusedIn(source: ts.SourceFile, checker: ts.TypeChecker): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node) || ts.isVoidExpression(node))
      found.push(...dropped(node.expression, checker));
    else if (isPassedFunction(node) && isIgnored(node, checker)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The parts of an expression without a reader that can be a refusal. */
function dropped(node: ts.Expression, checker: ts.TypeChecker): readonly ts.Node[] {
  if (ts.isParenthesizedExpression(node)) return dropped(node.expression, checker);
  if (ts.isVoidExpression(node)) return [];
  if (ts.isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse].flatMap((each) => dropped(each, checker));
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    // The value of an assignment is used by its target.
    if (kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment) return [];
    const left = kind === ts.SyntaxKind.CommaToken ? dropped(node.left, checker) : [];
    return [...left, ...dropped(node.right, checker)];
  }
  return canRefuse(checker.getTypeAtLocation(node), checker) ? [node] : [];
}

type PassedFunction = ts.ArrowFunction | ts.FunctionExpression | ts.Identifier | ts.PropertyAccessExpression;

/** A function, or the name of a value, that is passed on. */
function isPassedFunction(node: ts.Node): node is PassedFunction {
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return true;
  if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) return false;
  const { parent } = node;
  return (
    ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== node) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    (ts.isVariableDeclaration(parent) && parent.initializer === node) ||
    (ts.isArrowFunction(parent) && parent.body === node) ||
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isJsxExpression(parent) ||
    ts.isReturnStatement(parent)
  );
}

/** Whether it is a function that can refuse, where a function without a value is expected. */
function isIgnored(node: PassedFunction, checker: ts.TypeChecker): boolean {
  const expected = checker.getContextualType(node)?.getNonNullableType();
  if (expected === undefined || !ignoresValue(expected)) return false;
  const signatures = checker.getTypeAtLocation(node).getNonNullableType().getCallSignatures();
  return signatures.some((signature) => canRefuse(signature.getReturnType(), checker));
}

/** Whether every signature of a function type returns nothing. */
function ignoresValue(type: ts.Type): boolean {
  const types = type.isUnion() ? type.types : [type];
  const returned = types.flatMap((each) => each.getCallSignatures()).map((each) => each.getReturnType());
  return returned.length > 0 && returned.every(({ flags }) => (flags & ts.TypeFlags.Void) !== 0);
}

/** Depth to which a type is searched for refusals. */
const DEPTH_MAX = 4;

/** Whether a value of the type, or what it resolves to, can be a refusal. */
function canRefuse(type: ts.Type, checker: ts.TypeChecker, depth = 0): boolean {
  const awaited = checker.getAwaitedType(type) ?? type;
  if (depth > DEPTH_MAX) return false;
  if (awaited.isUnion()) return awaited.types.some((each) => canRefuse(each, checker, depth + 1));
  const elements =
    checker.isArrayType(awaited) || checker.isTupleType(awaited)
      ? checker.getTypeArguments(awaited as ts.TypeReference)
      : [];
  return elements.length > 0
    ? elements.some((each) => canRefuse(each, checker, depth + 1))
    : isRefusal(awaited, checker);
}

/** A refusal is an object with a property that is always `false`, such as `ok: false`, or with a code and a message. */
function isRefusal(type: ts.Type, checker: ts.TypeChecker): boolean {
  if ((type.flags & ts.TypeFlags.Object) === 0) return false;
  const properties = checker.getPropertiesOfType(type);
  const isPresent = (name: string) =>
    properties.some((each) => each.name === name && (each.flags & ts.SymbolFlags.Optional) === 0);
  if (properties.length > PROPERTIES_MAX) return false;
  return (
    (isPresent("code") && isPresent("message")) ||
    properties.some((each) => checker.typeToString(checker.getTypeOfSymbol(each)) === "false")
  );
}

/** Properties of a refusal: a larger object is something else, such as an actor. */
const PROPERTIES_MAX = 8;
