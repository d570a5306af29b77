import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { ScriptError } from "./script-error.ts";

/** The value of a script, and the positions of its parts. */
export interface Source {
  readonly value: unknown;
  /** The position of the value at `path`, or of the nearest enclosing value; from 1. */
  placeOf(path: readonly PropertyKey[], ofKey: boolean): Place;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** @throws ScriptError if the text is neither JSON nor YAML */
export function readSource(text: string, file: string): Source {
  try {
    // JSON.parse is faster, and allows tabs. Positions are looked up only for an error.
    const value: unknown = JSON.parse(text);
    return { value, placeOf: (path, ofKey) => placeIn(parse(text, file), path, ofKey) };
  } catch {
    return documentOf(text, file);
  }
}

function documentOf(text: string, file: string): Source {
  const parsed = parse(text, file);
  const { document, lines } = parsed;
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col: column } = lines.linePos(problem.pos[0]);
    const [reason = ""] = problem.message.split(" at line ");
    throw new ScriptError(`${file}:${line}:${column}: expected YAML or JSON, but: ${reason}.`, {
      file,
      line,
      column,
    });
  }
  const value: unknown = guarded(file, () => document.toJS({ maxAliasCount: 100 }));
  return { value, placeOf: (path, ofKey) => placeIn(parsed, path, ofKey) };
}

interface Parsed {
  readonly document: Document;
  readonly lines: LineCounter;
}

function parse(text: string, file: string): Parsed {
  const lines = new LineCounter();
  const options = { lineCounter: lines, logLevel: "silent" } as const;
  return { document: guarded(file, () => parseDocument(text, options)), lines };
}

function placeIn({ document, lines }: Parsed, path: readonly PropertyKey[], ofKey: boolean): Place {
  const { line, col } = lines.linePos(offsetOf(document, path, ofKey));
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function offsetOf(document: Document, path: readonly PropertyKey[], ofKey: boolean): number {
  if (ofKey) {
    const map = document.getIn(path.slice(0, -1), true);
    const pair = isMap(map)
      ? map.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === path.at(-1))
      : undefined;
    if (isNode(pair?.key)) return pair.key.range?.[0] ?? 0;
  }
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** Convert errors of the YAML library: too deep, circular, too many aliases. */
function guarded<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const place = { file, line: 1, column: 1 };
    throw new ScriptError(`${file}:1:1: expected YAML or JSON, but it cannot be read: ${reason}.`, place, {
      cause,
    });
  }
}
