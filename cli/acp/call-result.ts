import type { ToolCallContent, ToolKind } from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";
import { printableOutput } from "../../client/printable/printable.ts";
import { parseJson } from "../../machines/message/json.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { Outcome } from "../../machines/tool-call/call.ts";
import { characterBoundaryAfter, cutMiddle } from "../../tools/text.ts";
import { textContent } from "./call-fields.ts";
import { imageContent } from "./image.ts";

/** Maximum bytes of the result of a call that are shown. */
const RESULT_MAX_BYTES = 8 * 1024;
/** Maximum bytes of the output of a running command that are shown: each part of the output sends them again. */
const OUTPUT_MAX_BYTES = 4 * 1024;

/** A call that has ended, as it was shown until then. */
interface EndedCall {
  readonly isCommand: boolean;
  readonly kind: ToolKind;
  readonly result: ToolCallContent[];
}

/** The end of the output that a message of a command has. */
export function outputOf({ text, exitCode }: ClineMessage): ToolCallContent[] {
  const output = printableOutput(text ?? "");
  const bytes = Buffer.from(output);
  const start = characterBoundaryAfter(bytes, Math.max(0, bytes.length - OUTPUT_MAX_BYTES));
  const end = bytes.toString("utf8", start);
  const code = exitCode === undefined || exitCode === 0 ? "" : `[exit code ${exitCode}]`;
  const cut = start === 0 ? "" : `[... ${start} bytes before]\n`;
  return textContent(`${cut}${end}${code}`);
}

/** The result of a call that has ended. The output of a command is in its messages; a change of a file is in its body. */
export function resultOf({ isCommand, kind, result }: EndedCall, outcome: Outcome): ToolCallContent[] {
  const isShown = isCommand || kind === "edit" || kind === "think";
  if (outcome.kind === "done" && isShown) return result;
  return outcome.content.flatMap((block): ToolCallContent[] =>
    block.type === "text"
      ? textContent(cutMiddle(plainText(block.text), RESULT_MAX_BYTES))
      : [{ type: "content", content: imageContent(block) }],
  );
}

const statusSchema = z.object({
  status: z.string(),
  message: z.string().optional(),
  error: z.string().optional(),
  feedback: z.string().optional(),
});

/** The text of a result for a person: a denial or an error is JSON for the model. */
function plainText(text: string): string {
  const status = statusSchema.safeParse(parseJson(text)).data;
  return status?.error ?? status?.feedback ?? status?.message ?? text;
}
