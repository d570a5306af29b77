import type { Io } from "../io.ts";
import { OutputWriter, type Style } from "../show/index.ts";
import { LineInput, type LineListener, type Lines } from "./lines.ts";
import { LivePrompt, LiveScreen } from "./live/index.ts";
import { MarkdownStream } from "./markdown/index.ts";
import { lasting, type Paper, type Prose, plainProse } from "./paper.ts";
import type { PromptHistory } from "./prompt-history.ts";

/** How often the status line is drawn anew while nothing else changes, for the time that it tells. */
const STATUS_EVERY_MS = 1_000;

/** What a person sees and types into. */
export interface Face {
  readonly paper: Paper;
  readonly lines: Lines;
  readonly prose: Prose;
  /** Whether the status stands there at all times, so that the text needn't tell it. */
  readonly isLive: boolean;
  /** Shows the status as it is now. */
  refresh(): void;
  /** Told once when nobody reads any more. */
  onBroken(listener: () => void): void;
  close(): void;
}

export interface FaceParts {
  readonly io: Io;
  readonly style: Style;
  readonly listener: LineListener;
  readonly history: PromptHistory;
  /** The status in a row of so many cells. */
  readonly status: (width: number) => string;
}

/** Lines that change, where both ends are a terminal that takes escapes; elsewhere lines that stay. */
export function openFace(parts: FaceParts): Face {
  return takesEscapes(parts.io) ? liveFace(parts) : plainFace(parts);
}

/** NO_COLOR and TERM=dumb ask for a text without any escape. */
function takesEscapes({ stdin, stdout, env }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

function liveFace({ io, style, listener, history, status }: FaceParts): Face {
  const screen = new LiveScreen(io.stdout, style, status);
  const lines = new LivePrompt(io, screen, listener, history);
  const refresh = (): void => screen.refresh();
  const timer = setInterval(refresh, STATUS_EVERY_MS);
  timer.unref();
  return {
    paper: screen,
    lines,
    prose: new MarkdownStream(screen, style),
    isLive: true,
    refresh,
    onBroken: (listener) => screen.onBroken(listener),
    close: () => {
      clearInterval(timer);
      lines.close();
      screen.close();
    },
  };
}

function plainFace({ io, listener, history }: FaceParts): Face {
  const writer = new OutputWriter(io.stdout);
  const paper = lasting(writer);
  const lines = new LineInput(io, writer, listener, history);
  return {
    paper,
    lines,
    prose: plainProse(paper),
    isLive: false,
    refresh: () => {},
    onBroken: (listener) => writer.onBroken(listener),
    close: () => {
      lines.close();
      writer.freshLine();
    },
  };
}
