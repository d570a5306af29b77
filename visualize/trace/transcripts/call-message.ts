import type { ClineMessage } from "../../../machines/message/message.ts";
import type { CallAsk } from "../../../machines/tool-call/call.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { TranscriptCall } from "./transcript.ts";

/** The ask of a tool call that waits for a person. */
export function callAsk({ name, input }: TranscriptCall): CallAsk {
  if (questionsOf(input).length > 0) return "followup";
  return /bash|shell|command|exec/i.test(name) && commandOf(input) !== undefined ? "command" : "tool";
}

/** The message of a tool call that waits for a person. */
export function askMessage(call: TranscriptCall): Omit<ClineMessage, "ts"> {
  const ask = callAsk(call);
  return { type: "ask", ask, text: askText(ask, call), callId: call.id };
}

function askText(ask: CallAsk, call: TranscriptCall): string {
  if (ask === "command") return commandOf(call.input) ?? "";
  if (ask !== "followup") return describe(call);
  const questions = questionsOf(call.input);
  const question = questions.map((each) => textOf(each.question) ?? "").join("\n");
  const suggest = questions.flatMap(({ options }) =>
    listOf(options).flatMap((option) => {
      const answer = textOf(option) ?? textOf(fieldsOf(option).label);
      return answer === undefined ? [] : [{ answer }];
    }),
  );
  return JSON.stringify({ question, suggest });
}

/** The message of a tool call that waits for nobody. */
export const callMessage = (call: TranscriptCall): Omit<ClineMessage, "ts"> => ({
  type: "say",
  say: "tool",
  text: describe(call),
  callId: call.id,
});

/** The descriptor of a tool call: its arguments, and the path that it names. */
function describe({ name, input }: TranscriptCall): string {
  const path = textOf(input.path) ?? textOf(input.file_path) ?? textOf(input.notebook_path);
  const given = { ...input, ...(Array.isArray(input.command ?? input.cmd) && { command: commandOf(input) }) };
  return JSON.stringify({ ...given, ...(path !== undefined && { path }), tool: name });
}

/** The command line of a call, from a text or from a list of words. */
export function commandOf({ command, cmd }: TranscriptCall["input"]): string | undefined {
  const given = command ?? cmd;
  if (!Array.isArray(given)) return textOf(given);
  const words = given.map(String);
  return words.length === 3 && /^-l?c$/.test(words[1] ?? "") ? words[2] : words.map(quoted).join(" ");
}

/** A word of a command as a shell reads it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function questionsOf({ questions, question }: TranscriptCall["input"]) {
  if (textOf(question) !== undefined) return [{ question, options: undefined }];
  return listOf(questions).map(fieldsOf);
}
