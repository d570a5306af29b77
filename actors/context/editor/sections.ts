import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import type { EditorTerminal, OpenFile } from "../../../ports/editor.ts";
import { messageOf } from "../../../tools/error.ts";
import { characterBoundaryAfter, cutEnd } from "../../../tools/text.ts";
import { oneLine, quoted, shortened } from "../element.ts";
import { EMPTY, type EnvironmentState, UNKNOWN } from "../environment.ts";
import { diagnosticLines } from "./diagnostics.ts";
import { type EditorMember, type EditorReader, limitsOf, readEditor } from "./read-editor.ts";
import { firstShown, type ShownItems } from "./shown-paths.ts";

/** Maximum characters of the name of a terminal, of its command, and of the reason of a failure. */
const TEXT_MAX_CHARS = 300;

interface Section {
  readonly member: EditorMember;
  readonly title: string;
  /** The body; empty: there is nothing to say. */
  readonly read: (reader: EditorReader) => Promise<string>;
}

const SECTIONS: readonly Section[] = [
  { member: "openFiles", title: "Open files", read: openFiles },
  { member: "diagnostics", title: "Diagnostics", read: diagnostics },
  { member: "terminals", title: "Terminals", read: terminals },
  { member: "gitStatus", title: "Git status", read: gitStatus },
];

/**
 * The sections of an editor, each read at the same time and on its own. Never rejects: a section that can't be read has
 * the reason. Without an editor, what the conversation says of an earlier one is unknown.
 */
export function editorStates(reader: EditorReader | undefined): Promise<readonly EnvironmentState[]> {
  return Promise.all(
    SECTIONS.map(async ({ member, title, read }) => {
      if (reader?.editor[member] === undefined) return { title, body: undefined, none: UNKNOWN };
      const body = await read(reader).catch((error: unknown) => problem(title, error));
      return { title, body: body || undefined, none: EMPTY };
    }),
  );
}

const problem = (title: string, error: unknown): string =>
  `(The editor's ${title.toLowerCase()} could not be read: ${shortText(messageOf(error))})`;

const openFilesSchema: z.ZodType<readonly OpenFile[]> = z.array(
  z.object({ path: z.string(), visible: z.boolean().optional(), unsaved: z.boolean().optional() }),
);

async function openFiles(reader: EditorReader): Promise<string> {
  const files = await readEditor(reader, "openFiles", openFilesSchema);
  const visibleFirst = [...files.filter(isVisible), ...files.filter((file) => !isVisible(file))];
  const { shown, cut } = await firstShown(
    distinct(visibleFirst),
    reader.workspace,
    limitsOf(reader).openFiles,
  );
  const list = listed({ shown: shown.map(openFileLine), cut });
  return shown.some(({ unsaved }) => unsaved) ? `${list}\n${UNSAVED}` : list;
}

const UNSAVED =
  "(read_file has the unsaved text of unsaved files; search_files and commands see the files on disk)";

const isVisible = ({ visible }: OpenFile): boolean => visible === true;

/** A file in two panes is one. */
const distinct = (files: readonly OpenFile[]): readonly OpenFile[] => {
  const byPath = new Map<string, OpenFile>();
  for (const file of files) if (!byPath.has(file.path)) byPath.set(file.path, file);
  return [...byPath.values()];
};

function openFileLine({ path, visible, unsaved }: OpenFile): string {
  const marks = [...(visible ? ["visible"] : []), ...(unsaved ? ["unsaved"] : [])];
  return `- ${oneLine(path)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
}

async function diagnostics(reader: EditorReader): Promise<string> {
  return listed(await diagnosticLines(reader, limitsOf(reader).diagnostics));
}

const terminalsSchema: z.ZodType<readonly EditorTerminal[]> = z.array(
  z.object({ name: z.string(), command: z.string().optional(), output: z.string().optional() }),
);

async function terminals(reader: EditorReader): Promise<string> {
  const { terminals: limit, terminalBytes } = limitsOf(reader);
  const all = await readEditor(reader, "terminals", terminalsSchema);
  const shown = all.slice(0, limit).map((terminal) => terminalLines(terminal, terminalBytes));
  return listed({ shown, cut: all.length > limit });
}

function terminalLines({ name, command, output = "" }: EditorTerminal, maxBytes: number): string {
  const line = command === undefined ? shortText(name) : `${shortText(name)}: ${shortText(command)}`;
  const end = endOf(output, maxBytes);
  return end === "" ? `- ${line}` : `- ${line}\n${quoted(end)}`;
}

/** The end of an output as lines of characters. */
function endOf(output: string, maxBytes: number): string {
  // A control sequence is longer than what is shown of it.
  const start = Math.max(output.length - 4 * maxBytes, 0);
  const text = printable(stripVTControlCharacters(output.slice(start)).replaceAll(/\r\n?/g, "\n")).trimEnd();
  const bytes = Buffer.from(text);
  const cut = Math.max(bytes.length - maxBytes, 0);
  const kept = bytes.toString("utf8", characterBoundaryAfter(bytes, cut));
  return start > 0 || cut > 0 ? `[... earlier output is cut ...]\n${kept}` : kept;
}

async function gitStatus(reader: EditorReader): Promise<string> {
  const status = printable(await readEditor(reader, "gitStatus", z.string())).trimEnd();
  return status === "" ? "" : quoted(cutEnd(status, limitsOf(reader).gitStatusBytes));
}

/** Text in lines of valid characters. */
const printable = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]|[\u2028\u2029]/gu, "\ufffd");

const shortText = (text: string): string => shortened(oneLine(text), TEXT_MAX_CHARS);

function listed({ shown, cut }: ShownItems<string>): string {
  return [...shown, ...(cut ? [`(the list was cut after ${shown.length})`] : [])].join("\n");
}
