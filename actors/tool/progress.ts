import type { ProgressStatus } from "../../machines/message/message.ts";
import type { Clock } from "../../ports/clock.ts";

export interface ProgressLimits {
  /** Minimum time between two statuses of a call, in milliseconds; it doubles after every 100 of them. Default 250. */
  readonly progressFrameMs?: number;
  /** Maximum length of a status's icon, in UTF-16 units. Default 64. */
  readonly progressIconMaxChars?: number;
  /** Maximum length of a status's text, in UTF-16 units. Default 1,000. */
  readonly progressTextMaxChars?: number;
}

export interface ProgressOptions extends ProgressLimits {
  readonly clock: Clock;
  readonly send: (status: ProgressStatus) => void;
}

export interface Progress {
  /** Take a status. One that is over a limit, equals the last one or comes after the end is dropped. */
  report(status: ProgressStatus): void;
  /** Send what is pending. */
  flush(): void;
  /** Drop what is pending, and all that comes later. */
  end(): void;
}

/** Each status is recorded. With the default frame a call that lasts an hour has at most about 700 (L14). */
const FRAME_DOUBLES_AFTER = 100;

/** Join the statuses of a call, so that at most one per frame is sent: the newest (L14, L17). */
export function joinProgress(options: ProgressOptions): Progress {
  const { clock, send, progressFrameMs = 250 } = options;
  let last: ProgressStatus = {};
  let newest = last;
  let sent = 0;
  let isOver = false;
  let cancel: (() => void) | undefined;
  const stopTimer = (): void => {
    cancel?.();
    cancel = undefined;
  };
  const flush = (): void => {
    stopTimer();
    if (isSame(newest, last)) return;
    last = newest;
    sent += 1;
    send(last);
  };
  return {
    report(status) {
      const parsed = parseStatus(status, options);
      if (isOver || parsed === undefined) return;
      newest = parsed;
      cancel ??= clock.after(progressFrameMs * 2 ** Math.floor(sent / FRAME_DOUBLES_AFTER), flush);
    },
    flush,
    end() {
      isOver = true;
      newest = last;
      stopTimer();
    },
  };
}

const isSame = (one: ProgressStatus, other: ProgressStatus): boolean =>
  one.icon === other.icon && one.text === other.text;

function parseStatus({ icon, text }: ProgressStatus, limits: ProgressLimits): ProgressStatus | undefined {
  const { progressIconMaxChars = 64, progressTextMaxChars = 1_000 } = limits;
  if (!isWithin(icon, progressIconMaxChars) || !isWithin(text, progressTextMaxChars)) return undefined;
  return {
    ...(icon !== undefined && { icon: icon.toWellFormed() }),
    ...(text !== undefined && { text: text.toWellFormed() }),
  };
}

/** A tool may be written in JavaScript, so the type is checked. */
const isWithin = (value: unknown, maxChars: number): boolean =>
  value === undefined || (typeof value === "string" && value.length <= maxChars);
