import { printable } from "../../client/printable/printable.ts";
import { CliError } from "../error.ts";
import { messageLine } from "./message-line.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

const MINUTE_MS = 60_000;
const MESSAGE_CHARS_MAX = 200;

/** `/wake`: the wake-ups of the task. */
export const wakeCommand: SlashCommand = {
  usage: "/wake [[every] MINUTES TEXT]",
  about: "continue with TEXT after this many minutes, or each time they have passed; /wake off: never",
  run: wake,
  candidates: () => ["every", "off"],
};

async function wake(context: SlashContext, argument: string): Promise<void> {
  if (argument === "") await list(context);
  else if (argument === "off") clear(context);
  else schedule(context, argument);
}

async function list({ root, say }: SlashContext): Promise<void> {
  // A wake-up is in the snapshot once it is recorded.
  await root.flushed();
  const { wakeUps } = root.snapshot.context;
  if (wakeUps.length === 0) say("No wake-up is scheduled.");
  for (const { at, everyMs, message } of wakeUps) {
    const time = new Date(at).toLocaleString();
    const interval = everyMs === undefined ? "" : `, every ${everyMs / MINUTE_MS} minutes`;
    say(printable(`${time}${interval}: ${messageLine(message, MESSAGE_CHARS_MAX)}`));
  }
}

function clear({ root, say }: SlashContext): void {
  const result = root.clearWakeUps();
  say(result.ok ? "No wake-up is scheduled any more." : printable(result.message));
}

function schedule({ root, now, say }: SlashContext, argument: string): void {
  const [, every, minutes, text = ""] = /^(every\s+)?(\d+(?:\.\d+)?)\s+(.+)$/s.exec(argument) ?? [];
  const ms = Number(minutes) * MINUTE_MS;
  if (!(ms > 0))
    throw new CliError(
      `Expected /wake MINUTES TEXT or /wake every MINUTES TEXT, received '${printable(argument)}'.`,
    );
  const result = root.wakeAt(now() + ms, text, every === undefined ? {} : { everyMs: ms });
  say(
    result.ok
      ? "Scheduled. The task continues at that time while it is open here and at rest."
      : printable(result.message),
  );
}
