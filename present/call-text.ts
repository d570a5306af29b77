import type { Call, CallContent } from "./calls.ts";

/** Maximum characters of arguments in the title of a call. Longer ones are lines below it. */
const INLINE_CHARS_MAX = 80;

/** Format a call in one line: `Edit src/a.ts (+3 -1)`. */
export function callTitle(call: Call): string {
  const { title, content, stats } = call;
  const inline = content.kind === "arguments" ? inlineArguments(content) : undefined;
  return [
    ...title.map(({ word, text }) => (word === undefined ? text : `${word} ${text}`)),
    ...(stats === undefined ? [] : [`(+${stats.added} -${stats.removed})`]),
    ...(inline === undefined || inline === "" ? [] : [inline]),
  ].join(" ");
}

/** Format a call for a question, without its arguments: `Create src/a.ts (+9)`, `Call files/list_directory`. */
export function callQuestion(call: Call): string {
  const { content, paths, title } = call;
  const [path] = paths;
  if (content.kind === "file" && path !== undefined) return `Create ${path} (+${callLines(call).length})`;
  return content.kind === "arguments" ? `Call ${title.map(({ text }) => text).join(" ")}` : callTitle(call);
}

const MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[-]" };

/** Format what a call would change or send, in lines; none for a call whose title says it all. */
export function callLines({ content }: Call): readonly string[] {
  switch (content.kind) {
    case "files":
      return content.files.map(({ path, lines }) => (lines === "" ? path : `${path} (${lines})`));
    case "file":
      return linesOf(content.text).map((line) => `+${line}`);
    case "change":
      return linesOf(content.text);
    case "plan":
      return content.todos.map((todo) => `${MARKS[todo.status] ?? "[ ]"} ${todo.content}`);
    case "subtask":
      return [...content.given, ...linesOf(content.message), ...linesOf(content.todos)];
    case "arguments":
      return inlineArguments(content) === undefined ? argumentLines(content) : [];
    default:
      return [];
  }
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

type Arguments = Extract<CallContent, { kind: "arguments" }>;

/** The arguments in one line, unless they are too long for it. */
function inlineArguments(content: Arguments): string | undefined {
  const lines = argumentLines(content);
  const inline = lines.join(", ");
  return inline.length > INLINE_CHARS_MAX || lines.some((line) => line.startsWith(" ")) ? undefined : inline;
}

/** A line for each argument; a text of several lines is indented below its name. Arguments that were cut are as they are. */
function argumentLines({ given, fields }: Arguments): readonly string[] {
  if (fields === undefined) return given === "" ? [] : given.split("\n");
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" && value.includes("\n")
      ? [`${name}:`, ...linesOf(value).map((line) => `  ${line}`)]
      : [`${name}: ${formatValue(value)}`],
  );
}

/** A text in quotes where it could be taken for more than one argument. */
const formatValue = (value: unknown): string =>
  typeof value === "string" && /^[\w./~@+-]+$/.test(value) ? value : JSON.stringify(value);
