const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a string of JSON can't hold them
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

/** Where text that `JSON.parse` refuses stops being JSON: the position of the first character that can't stand there. */
export function firstFault(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at = matchAt(SPACE, text, at)?.end ?? at;
    const token = matchAt(TOKEN, text, at);
    const next: Expected | undefined = token === undefined ? undefined : after(token.text, expected, open);
    if (token === undefined || next === undefined) return at;
    expected = next;
    at = token.end;
  }
}

function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : { text: found, end: at + found.length };
}

/** What may follow the token, or undefined where it can't stand there. `open`: the lists and objects around it. */
function after(token: string, expected: Expected, open: string[]): Expected | undefined {
  switch (token) {
    case "]":
    case "}":
      return expected.endsWith("or end") && open.pop() === (token === "]" ? "[" : "{")
        ? whole(open)
        : undefined;
    case ",":
      if (expected !== "comma or end") return undefined;
      return open.at(-1) === "[" ? "value" : "key";
    case ":":
      return expected === "colon" ? "value" : undefined;
    default:
      return afterValue(token, expected, open);
  }
}

function afterValue(token: string, expected: Expected, open: string[]): Expected | undefined {
  if (expected.startsWith("key")) return token.startsWith('"') ? "colon" : undefined;
  if (!expected.startsWith("value")) return undefined;
  if (token !== "[" && token !== "{") return whole(open);
  open.push(token);
  return token === "[" ? "value or end" : "key or end";
}

/** What may follow a value that is whole. */
const whole = (open: readonly string[]): Expected => (open.length === 0 ? "nothing" : "comma or end");
