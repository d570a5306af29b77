import type { ClineMessage } from "../../machines/message/index.ts";
import { changesOf } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const isOpen = (row: ClineMessage | undefined): boolean => row?.type === "ask" && row.closing === undefined;

function atMostOne({ after }: Step): string | undefined {
  const { log } = after.context;
  const [position, ...others] = after.logFacts.openAsks;
  if (others.length > 0) return `${others.length + 1} asks are open`;
  return position !== undefined && position !== log.length - 1
    ? `the open ask ${log.at(position)?.ask} is not the last row`
    : undefined;
}

/** Also within the macrostep: an ask is closed before anything follows it. */
function nothingBehind(step: Step): string | undefined {
  for (const { event, row } of changesOf(step)) {
    if (event.type !== "message.appended" || !isOpen(row)) continue;
    return `${event.message.ask ?? event.message.say} was appended behind the open ask ${row?.ask}`;
  }
  return undefined;
}

function closedOnce(step: Step): string | undefined {
  const twice = changesOf(step).find(
    ({ event, row }) => event.type === "message.amended" && event.patch.closing !== undefined && !isOpen(row),
  );
  return twice === undefined
    ? undefined
    : `the row ${twice.row?.ask ?? twice.row?.say} was closed and is no open ask`;
}

/** An ask that waits has somebody who takes its answer. */
function hasItsActor({ after }: Step): string | undefined {
  const last = after.context.log.at(-1);
  if (last === undefined || !isOpen(last) || last.partial === true) return undefined;
  return after.activeActors.has(`ask:${last.ts}`)
    ? undefined
    : `nobody takes the answer to the open ask ${last.ask}`;
}

/** L8: at most one ask is open, it is the last row, nothing is appended behind it, and it is closed once. */
export const oneAsk: Law = {
  id: "L8",
  title: "at most one ask is open, it is the last message, each is closed once",
  violation: firstViolation(atMostOne, nothingBehind, closedOnce, hasItsActor),
};
