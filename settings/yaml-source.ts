import type { Document, Pair } from "yaml";
import { SettingsError } from "./error.ts";
import { withoutJsonComments } from "./json-comments.ts";
import { printableName } from "./problem.ts";

/** The value of a YAML or JSON text, and the places of its parts. */
export interface YamlSource {
  readonly value: unknown;
  /** The place of the key at `path`, or of the nearest enclosing value. */
  placeOf(path: readonly PropertyKey[]): Place;
}

/** Line and column of a text, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Maximum depth of maps and lists. */
const DEPTH_MAX = 32;

/**
 * Parse YAML, or JSON, which may have comments and trailing commas. Anchors, aliases, tags and complex keys are rejected:
 * they cost time without a bound.
 *
 * @param isSecret whether the text must not be quoted in an error
 * @throws SettingsError `SETTINGS_INVALID`
 */
export async function parseYaml(text: string, file: string, isSecret: boolean): Promise<YamlSource> {
  // Only a process that has such a file loads the parser.
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const failAt = (offset: number, reason: string): SettingsError => {
    const { line, column } = placeAt(offset);
    return new SettingsError(
      "SETTINGS_INVALID",
      `${file}:${line}:${column}: expected YAML or JSON, but ${reason}. Correct it.`,
    );
  };
  const marked = text.replace(/^\uFEFF/, "");
  const plain = withoutJsonComments(marked, file) ?? marked;
  const syntax = unsupportedSyntax(plain, yaml);
  if (syntax !== undefined) {
    lines.addNewLine(0);
    for (const { index } of plain.slice(0, syntax.offset).matchAll(/\n/g)) lines.addNewLine(index + 1);
    throw failAt(syntax.offset, syntax.reason);
  }
  let document: Document.Parsed;
  try {
    document = yaml.parseDocument(plain, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: "error",
      uniqueKeys: false,
    });
  } catch {
    throw failAt(0, `it is nested deeper than ${DEPTH_MAX} levels`);
  }
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined)
    throw failAt(
      problem.pos[0],
      isSecret ? problem.code.replaceAll("_", " ").toLowerCase() : problem.message,
    );
  const defect = defectIn(document.contents, yaml, 0);
  if (defect !== undefined)
    throw failAt(defect.offset, isSecret ? "a name occurs twice, or is not a text" : defect.reason);
  return {
    value: document.contents === null ? {} : document.toJS(),
    placeOf: (path) => placeAt(offsetOf(document, path, yaml)),
  };
}

type Yaml = typeof import("yaml");

interface Defect {
  readonly offset: number;
  readonly reason: string;
}

/** The lexer's names of syntax that is not supported. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  anchor: "anchors are not supported",
  alias: "aliases are not supported",
  tag: "tags are not supported",
  "explicit-key-ind": "keys with '?' are not supported",
};

/** Found by the lexer, in linear time: the parser takes minutes for some of it. */
function unsupportedSyntax(text: string, { Lexer, CST }: Yaml): Defect | undefined {
  let offset = 0;
  let depth = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme) ?? "";
    // Marks of the lexer, which are not in the text.
    if (type === "doc-mode" || type === "flow-error-end" || type === "scalar") continue;
    const reason = UNSUPPORTED[type];
    if (reason !== undefined) return { offset, reason };
    depth += DEPTH_CHANGES[type] ?? 0;
    if (depth > DEPTH_MAX) return { offset, reason: `it is nested deeper than ${DEPTH_MAX} levels` };
    offset += lexeme.length;
  }
  return undefined;
}

const DEPTH_CHANGES: Readonly<Record<string, number>> = {
  "flow-map-start": 1,
  "flow-seq-start": 1,
  "flow-map-end": -1,
  "flow-seq-end": -1,
};

/** A key that is not a plain text, or occurs twice. */
function defectIn(node: unknown, yaml: Yaml, depth: number): Defect | undefined {
  if (!yaml.isCollection(node)) return undefined;
  const offset = startOf(node, yaml) ?? 0;
  if (depth > DEPTH_MAX) return { offset, reason: `it is nested deeper than ${DEPTH_MAX} levels` };
  const names = new Set<string>();
  for (const item of node.items) {
    const defect = yaml.isPair(item)
      ? (keyDefect(item, names, yaml, offset) ?? defectIn(item.value, yaml, depth + 1))
      : defectIn(item, yaml, depth + 1);
    if (defect !== undefined) return defect;
  }
  return undefined;
}

function keyDefect(pair: Pair, names: Set<string>, yaml: Yaml, enclosing: number): Defect | undefined {
  const name = nameOf(pair, yaml);
  const offset = startOf(pair.key, yaml) ?? enclosing;
  if (name === undefined) return { offset, reason: "a key is not a text" };
  if (/^\/[/*]/.test(name))
    return {
      offset,
      reason: `the key ${printableName(name)} looks like a comment. In YAML, begin one with #`,
    };
  if (name === "__proto__") return { offset, reason: "the key __proto__ is not supported" };
  if (names.has(name)) return { offset, reason: `the key ${printableName(name)} occurs twice` };
  names.add(name);
  return undefined;
}

const nameOf = ({ key }: Pair, { isScalar }: Yaml): string | undefined =>
  isScalar(key) && key.value !== null ? String(key.value) : undefined;

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[], yaml: Yaml): number {
  let node: unknown = document.contents;
  let offset = startOf(node, yaml) ?? 0;
  for (const name of path) {
    if (yaml.isMap(node)) {
      const pair: Pair | undefined = node.items.find((item) => nameOf(item, yaml) === String(name));
      offset = startOf(pair?.key, yaml) ?? offset;
      node = pair?.value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(name)];
      offset = startOf(node, yaml) ?? offset;
    } else break;
  }
  return offset;
}

const startOf = (node: unknown, { isNode }: Yaml): number | undefined =>
  isNode(node) ? node.range?.[0] : undefined;
