import type { Io } from "../io.ts";
import { OutputWriter, type Style } from "../show/index.ts";
import { LineInput, type LineListener, type LineSource } from "./line-input.ts";
import { LivePrompt } from "./live/prompt.ts";
import { LiveScreen } from "./live/screen.ts";
import { MarkdownStream } from "./markdown/stream.ts";
import type { PromptHistory } from "./prompt-history.ts";
import { type ModelText, permanentOutput, plainModelText, type TextOutput } from "./text-output.ts";

/** Interval at which the elapsed time in the status line is updated, in milliseconds. */
const STATUS_INTERVAL_MS = 1_000;

/** Output and input of the terminal. */
export interface TerminalInterface {
  readonly output: TextOutput;
  readonly lines: LineSource;
  readonly modelText: ModelText;
  /** Whether a status line is always visible. */
  readonly isLive: boolean;
  /** Update the status line. */
  refresh(): void;
  /** Leave the terminal to another program until the returned function is called. */
  pause(): () => void;
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
}

/** Open a live interface where input and output are a terminal that takes escapes, else a plain one. */
export function openInterface(parts: TerminalInterfaceOptions): TerminalInterface {
  return takesEscapes(parts.io) ? openLiveInterface(parts) : openPlainInterface(parts);
}

/** NO_COLOR and TERM=dumb mean no escapes. */
function takesEscapes({ stdin, stdout, env }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

function openLiveInterface({
  io,
  style,
  listener,
  history,
  status,
}: TerminalInterfaceOptions): TerminalInterface {
  const screen = new LiveScreen(io.stdout, style, status);
  const lines = new LivePrompt(io, screen, listener, history);
  const refresh = (): void => screen.refresh();
  const timer = setInterval(refresh, STATUS_INTERVAL_MS);
  timer.unref();
  return {
    output: screen,
    lines,
    modelText: new MarkdownStream(screen, style),
    isLive: true,
    refresh,
    pause: () => screen.pause(),
    onBroken: (listener) => screen.onBroken(listener),
    close: () => {
      clearInterval(timer);
      lines.close();
      screen.close();
    },
  };
}

function openPlainInterface({ io, listener, history }: TerminalInterfaceOptions): TerminalInterface {
  const writer = new OutputWriter(io.stdout);
  const output = permanentOutput(writer);
  const lines = new LineInput(io, writer, listener, history);
  return {
    output,
    lines,
    modelText: plainModelText(output),
    isLive: false,
    refresh: () => {},
    pause: () => {
      writer.hold();
      return () => writer.release();
    },
    onBroken: (listener) => writer.onBroken(listener),
    close: () => {
      lines.close();
      writer.freshLine();
    },
  };
}
