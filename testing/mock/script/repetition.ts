import type { z } from "zod";
import { blockCharsMax, isRecord } from "./fields.ts";

const depthMax = 100;

/** Replace each `{repeat, times}` in the arguments of a tool by its text. */
export function expandRepetitions(
  input: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): Record<string, unknown> {
  let chars = 0;
  const reject = (path: readonly PropertyKey[], message: string): string => {
    context.addIssue({ code: "custom", path: [...path], message });
    return "";
  };
  const visit = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (path.length > depthMax) return reject(path, `arguments at most ${depthMax} levels deep`);
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    if (!isRecord(value)) return value;
    if (!isRepetition(value)) return visitFields(value, path);
    chars += value.repeat.length * value.times;
    if (chars > blockCharsMax) return reject(path, `a repetition of at most ${blockCharsMax} characters`);
    return value.repeat.repeat(value.times);
  };
  const visitFields = (value: Readonly<Record<string, unknown>>, path: readonly PropertyKey[]) =>
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]));
  return visitFields(input, []);
}

function isRepetition(
  value: Readonly<Record<string, unknown>>,
): value is { readonly repeat: string; readonly times: number } {
  return (
    Object.keys(value).length === 2 &&
    typeof value.repeat === "string" &&
    Number.isInteger(value.times) &&
    Number(value.times) >= 0
  );
}
