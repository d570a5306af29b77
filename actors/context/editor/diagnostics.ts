import { z } from "zod";
import type { Diagnostic } from "../../../ports/editor.ts";
import type { ProblemsPort } from "../../../ports/repository.ts";
import { messageOf, ToolError } from "../../../tools/error.ts";
import { oneLine, shortened } from "../element.ts";
import { type EditorReader, readEditor } from "./read-editor.ts";
import { firstShown, type ShownItems } from "./shown-paths.ts";

/** Maximum characters of a message. */
const MESSAGE_MAX_CHARS = 300;

/** From the most severe to the least. */
const SEVERITIES = ["error", "warning", "information", "hint"] as const satisfies Diagnostic["severity"][];

const schema: z.ZodType<readonly Diagnostic[]> = z.array(
  z.object({ path: z.string(), line: z.int(), severity: z.enum(SEVERITIES), message: z.string() }),
);

/** The lines of at most `limit` diagnostics, the most severe ones first. */
export async function diagnosticLines(reader: EditorReader, limit: number): Promise<ShownItems<string>> {
  const diagnostics = await readEditor(reader, "diagnostics", schema);
  const sorted = SEVERITIES.flatMap((severity) => diagnostics.filter((one) => one.severity === severity));
  const { shown, cut } = await firstShown(sorted, reader.workspace, limit);
  return { shown: shown.map(lineOf), cut };
}

const lineOf = ({ path, line, severity, message }: Diagnostic): string =>
  `- ${severity} ${oneLine(path)}:${line}: ${shortened(oneLine(message), MESSAGE_MAX_CHARS)}`;

/** The diagnostics of an editor as what `@problems` attaches. */
export const editorProblems =
  (reader: EditorReader): ProblemsPort =>
  async () => {
    try {
      const { shown } = await diagnosticLines(reader, Number.POSITIVE_INFINITY);
      return shown.length === 0 ? "(none)" : shown.join("\n");
    } catch (error) {
      throw new ToolError("FAILED", `The editor's diagnostics could not be read: ${messageOf(error)}`);
    }
  };
