import type { Io } from "../io.ts";
import { OutputWriter, printable, type Style } from "../show/index.ts";
import { LineInput, type LineListener, type LineSource } from "./line-input.ts";
import { pageText } from "./live/other-program.ts";
import { LivePrompt } from "./live/prompt.ts";
import { LiveScreen } from "./live/screen.ts";
import { MarkdownStream } from "./markdown/stream.ts";
import type { PromptHistory } from "./prompt-history.ts";
import {
  type ModelText,
  permanentOutput,
  plainModelText,
  type TextOutput,
  WholeLines,
} from "./text-output.ts";

/** Interval at which the elapsed time in the status line is updated, in milliseconds. */
const STATUS_INTERVAL_MS = 1_000;

/** Output and input of the terminal. */
export interface TerminalInterface {
  readonly output: TextOutput;
  readonly lines: LineSource;
  readonly modelText: ModelText;
  /** Whether a status line is always visible. */
  readonly isLive: boolean;
  /** Whether another program has the terminal, an editor or a pager. */
  readonly isAway: boolean;
  /** Show a long text from its start. Resolves when the user has seen it. */
  page(text: string): Promise<void>;
  /** Update the status line. */
  refresh(): void;
  /** Leave the terminal to another program. */
  leaveTo(run: () => Promise<void>): Promise<void>;
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
  return !parts.isPlain && takesEscapes(parts.io) ? openLiveInterface(parts) : openPlainInterface(parts);
}

/** TERM=dumb means no escapes. NO_COLOR is about colors only. */
function takesEscapes({ stdin, stdout, env }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env.TERM !== "dumb";
}

function openLiveInterface({
  io,
  style,
  listener,
  history,
  status,
  queued,
}: TerminalInterfaceOptions): TerminalInterface {
  const screen = new LiveScreen(io.stdout, style, { status, queued });
  const lines = new LivePrompt(io, screen, listener, history);
  const refresh = (): void => screen.refresh();
  const timer = setInterval(refresh, STATUS_INTERVAL_MS);
  timer.unref();
  return {
    output: screen,
    lines,
    modelText: new MarkdownStream(screen, style),
    isLive: true,
    get isAway() {
      return lines.isAway;
    },
    page: (text) => pageThrough(text, lines, screen),
    refresh,
    leaveTo: (run) => lines.leaveTo(run),
    onBroken: (listener) => screen.onBroken(listener),
    close: () => {
      clearInterval(timer);
      lines.close();
      screen.close();
    },
  };
}

/** Without a pager, the whole text is written. */
async function pageThrough(text: string, lines: LivePrompt, screen: LiveScreen): Promise<void> {
  const shown = printable(text);
  await lines.leaveTo(async (options) => {
    if (!(await pageText(shown, options))) screen.line(shown);
  });
}

function openPlainInterface({ io, listener, history, isPlain }: TerminalInterfaceOptions): TerminalInterface {
  const writer = new OutputWriter(io.stdout);
  const output = isPlain ? new WholeLines(writer) : permanentOutput(writer);
  const lines = new LineInput(io, writer, listener, history);
  return {
    output,
    lines,
    modelText: plainModelText(output),
    isLive: false,
    isAway: false,
    page: (text) => Promise.resolve(output.line(printable(text))),
    refresh: () => {},
    leaveTo: async (run) => {
      writer.hold();
      try {
        await run();
      } finally {
        writer.release();
      }
    },
    onBroken: (listener) => writer.onBroken(listener),
    close: () => {
      lines.close();
      writer.freshLine();
    },
  };
}
