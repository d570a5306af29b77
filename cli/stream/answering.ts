import type { Answer } from "../../machines/message/index.ts";
import type { TypedAsk } from "../../runtime/index.ts";
import type { StdinCommandOf } from "../../wire/index.ts";

/** An answer to an ask that it names. */
export type Answering =
  | StdinCommandOf<"approve" | "reject" | "continue" | "abort">
  | (StdinCommandOf<"message"> & { readonly askId: number });

/** Why this command is no answer to this ask. */
export function misfitOf(command: Answering["command"], { id, kind }: TypedAsk): string | undefined {
  const isAboutOutput = kind === "command_output";
  const isForOutput = command === "continue" || command === "abort";
  if (isAboutOutput === isForOutput) return undefined;
  const fitting = isAboutOutput ? "continue or abort" : "approve, reject or a message";
  return `ask ${id} (${kind}) takes ${fitting}, not ${command}`;
}

/** The answer that a command gives. */
export function answerOf(command: Answering): Answer {
  if (command.command === "message")
    return { kind: "text", text: command.prompt, ...(command.images && { images: command.images }) };
  const isYes = command.command === "approve" || command.command === "continue";
  const kind = isYes ? "yes" : "no";
  if (!("prompt" in command) && !("images" in command)) return { kind };
  const { prompt, images } = command;
  return { kind, ...(prompt !== undefined && { text: prompt }), ...(images !== undefined && { images }) };
}
