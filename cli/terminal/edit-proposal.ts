import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ApprovalAsk, Ask, ProposalAmendment } from "../../runtime/index.ts";
import { changeOf } from "../../tools/index.ts";
import { errorMessage } from "../error.ts";
import type { Io } from "../io.ts";
import { colorDiffLine, printable, type Style } from "../show/index.ts";

/** Maximum bytes of an edited proposal. */
const EDITED_MAX_BYTES = 1_000_000;

type EditableProposal = Exclude<NonNullable<ApprovalAsk["proposal"]>, { readonly kind: "files" }>;

/** An ask whose proposal can be edited as a text. */
export type EditableAsk = ApprovalAsk & { readonly proposal: EditableProposal };

/** Whether `e` is an answer: there is a text to edit, a terminal, and an editor. */
export const offersEdit = (ask: Ask, io: Io): ask is EditableAsk =>
  "proposal" in ask &&
  ask.proposal !== undefined &&
  ask.proposal.kind !== "files" &&
  io.stdin.isTTY === true &&
  io.stdout.isTTY === true &&
  editorIn(io.env) !== undefined;

const editorIn = ({ VISUAL, EDITOR }: Io["env"]): string | undefined =>
  VISUAL?.trim() || EDITOR?.trim() || undefined;

/** The effect of a line after an edit: it is approved, edited again, or dropped. */
export type EditReaction = "approve" | "edit" | "drop";

/** A proposal that the person edited, before it is approved. It is shown, and asked about again. */
export class EditedProposal {
  readonly #proposal: EditableProposal;
  readonly #text: string;

  constructor({ proposal }: EditableAsk, text: string) {
    this.#proposal = proposal;
    this.#text = text;
  }

  readonly question = "Allow it as edited? y, e: edit again, anything else: back to the proposal: ";

  get text(): string {
    return this.#text;
  }

  get amendment(): ProposalAmendment {
    return this.#proposal.kind === "file" ? { content: this.#text } : { todos: this.#text };
  }

  /** What it does: the diff of a file, or the list. */
  lines(style: Style): readonly string[] {
    if (this.#proposal.kind === "todos") return this.#text.trimEnd().split("\n").map(printable);
    const { path: file, before = "" } = this.#proposal;
    const { diff } = changeOf(file, before, this.#text);
    return diff === ""
      ? ["(the file stays as it is)"]
      : diff.split("\n").map((line) => colorDiffLine(printable(line), style));
  }

  read(line: string): EditReaction {
    const answer = line.trim().toLowerCase();
    if (answer === "y" || answer === "yes") return "approve";
    return answer === "e" ? "edit" : "drop";
  }
}

/** A proposal in the person's editor: its text afterwards, or why there is none. */
export type EditResult =
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "unchanged"; readonly why: string };

/**
 * Open `$VISUAL`, else `$EDITOR`, on a proposal, or on the text that the person made of it. The file has the mode 0600, in
 * a folder of its own that is removed afterwards. Never rejects.
 */
export async function editProposal({ proposal }: EditableAsk, text: string, io: Io): Promise<EditResult> {
  const editor = editorIn(io.env) ?? "vi";
  let folder: string | undefined;
  try {
    folder = await mkdtemp(path.join(tmpdir(), "signalbox-edit-"));
    const file = path.join(folder, proposal.kind === "file" ? path.basename(proposal.path) : "todos.md");
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    const code = await runEditor(editor, file, io);
    if (code !== 0) return unchanged(`'${editor}' ended with code ${code}`);
    const { size } = await stat(file);
    if (size > EDITED_MAX_BYTES)
      return unchanged(`it has ${size} bytes, at most ${EDITED_MAX_BYTES} are taken`);
    const edited = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
    return edited === text ? unchanged("nothing was changed") : { kind: "edited", text: edited };
  } catch (error) {
    return unchanged(errorMessage(error));
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

const unchanged = (why: string): EditResult => ({
  kind: "unchanged",
  why: `The proposal stays as it was: ${why}.`,
});

/** An interrupt is for the editor: the shell that runs it stays. */
const CAUGHT = "trap : INT";

/** Run an editor, a command line of the shell, on the terminal. Our input is paused meanwhile. */
async function runEditor(editor: string, file: string, { stdin, env }: Io): Promise<number | null> {
  const setRawMode =
    "setRawMode" in stdin && typeof stdin.setRawMode === "function" ? stdin.setRawMode : undefined;
  const wasRaw = "isRaw" in stdin && stdin.isRaw === true;
  stdin.pause();
  setRawMode?.call(stdin, false);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn("/bin/sh", ["-c", `${CAUGHT}; ${editor} "$1"`, "sh", file], {
        stdio: "inherit",
        env: { ...env },
      });
      child.on("error", reject);
      child.on("close", resolve);
    });
  } finally {
    setRawMode?.call(stdin, wasRaw);
    stdin.resume();
  }
}
