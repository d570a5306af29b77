import { printable } from "../../client/printable/printable.ts";
import type { Io } from "../io.ts";
import { OutputWriter } from "../show/output-writer.ts";
import type { Style } from "../show/style.ts";
import type { LineListener, LineSource } from "./input/line-source.ts";
import { PipedLines } from "./input/piped-lines.ts";
import { Prompt } from "./input/prompt.ts";
import type { PromptHistory } from "./input/prompt-history.ts";
import { LiveScreen } from "./live/screen.ts";
import { MarkdownStream } from "./markdown/stream.ts";
import { PlainScreen } from "./plain-screen.ts";
import {
  type ModelText,
  permanentOutput,
  plainModelText,
  type TextOutput,
  WholeLines,
} from "./text-output.ts";
import { type CommandEnd, editText, pageText, runCommand } from "./user-program.ts";

/** Interval at which the elapsed time in the status line is updated, in milliseconds. */
const STATUS_INTERVAL_MS = 1_000;

/** Output and input of the terminal. */
export interface TerminalInterface {
  readonly output: TextOutput;
  readonly lines: LineSource;
  readonly modelText: ModelText;
  /** Whether a status line is always visible. */
  readonly isLive: boolean;
  /**
   * Edit a text in the user's editor, as a file with this name. A failure is reported; then there is no result. Absent
   * without a terminal.
   */
  readonly edit?: (text: string, fileName: string) => Promise<string | undefined>;
  /** Run a command of the user in a folder, on the terminal. A failure is reported. Absent without a terminal. */
  readonly shell?: (command: string, folder: string) => Promise<CommandEnd | undefined>;
  /** Show a long text from its start. Resolves when the user has seen it. */
  page(text: string): Promise<void>;
  /** Update the status line. */
  refresh(): void;
  /** Called once when the reader has gone away. */
  onBroken(listener: () => void): void;
  close(): void;
}

export interface TerminalInterfaceOptions {
  readonly io: Io;
  readonly style: Style;
  readonly listener: LineListener;
  readonly history: PromptHistory;
  /** Format the status line in this many cells. */
  readonly status: (width: number) => string;
  /** Texts that wait for the next request. */
  readonly queued: () => readonly string[];
  /** Whether nothing is drawn again: each event is a line, for screen readers. */
  readonly isPlain: boolean;
}

/** Open a live interface where input and output are a terminal that takes escapes, else a plain one. */
export function openInterface(parts: TerminalInterfaceOptions): TerminalInterface {
  if (parts.io.stdin.isTTY !== true || parts.io.stdout.isTTY !== true) return openPiped(parts);
  // TERM=dumb means no escapes. NO_COLOR is about colors only.
  return parts.isPlain || parts.io.env.TERM === "dumb" ? openPlain(parts) : openLive(parts);
}

function openLive({
  io,
  style,
  listener,
  history,
  status,
  queued,
}: TerminalInterfaceOptions): TerminalInterface {
  const screen = new LiveScreen(io.stdout, style, { status, queued });
  const lines = new Prompt(io, screen, listener, history);
  const refresh = (): void => screen.refresh();
  const timer = setInterval(refresh, STATUS_INTERVAL_MS);
  timer.unref();
  return {
    output: screen,
    lines,
    modelText: new MarkdownStream(screen, style),
    isLive: true,
    ...programs(lines, io),
    page: (text) => pageThrough(text, lines, screen),
    refresh,
    onBroken: (listener) => screen.onBroken(listener),
    close: () => {
      clearInterval(timer);
      lines.close();
      screen.close();
    },
  };
}

/** Without a pager, the whole text is written. */
async function pageThrough(text: string, lines: Prompt, screen: LiveScreen): Promise<void> {
  const shown = printable(text);
  if ((await lines.leaveTo((options) => pageText(shown, options))) === false) screen.line(shown);
}

const programs = (lines: Prompt, { stdout }: Io): Pick<TerminalInterface, "edit" | "shell"> => ({
  shell: (command, folder) => lines.leaveTo((options) => runCommand(command, folder, options, stdout)),
  edit: (text, fileName) => lines.leaveTo((options) => editText(text, fileName, options)),
});

/** A terminal on which nothing is drawn again. */
function openPlain({ io, listener, history, isPlain }: TerminalInterfaceOptions): TerminalInterface {
  const writer = new OutputWriter(io.stdout);
  // A menu is drawn again with each key.
  const { menu: _menu, ...others } = listener;
  const lines = new Prompt(io, new PlainScreen(writer), others, history);
  return { ...writing(writer, lines, isPlain), ...programs(lines, io) };
}

function openPiped({ io, listener, isPlain }: TerminalInterfaceOptions): TerminalInterface {
  const writer = new OutputWriter(io.stdout);
  return writing(writer, new PipedLines(io, writer, listener), isPlain);
}

/** Output that is written once. */
function writing(writer: OutputWriter, lines: LineSource, isPlain: boolean): TerminalInterface {
  const output = isPlain ? new WholeLines(writer) : permanentOutput(writer);
  return {
    output,
    lines,
    modelText: plainModelText(output),
    isLive: false,
    page: (text) => Promise.resolve(output.line(printable(text))),
    refresh: () => {},
    onBroken: (listener) => writer.onBroken(listener),
    close: () => {
      lines.close();
      writer.freshLine();
    },
  };
}
