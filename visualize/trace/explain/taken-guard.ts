import type { Candidate } from "../../../wire/http/explanation.ts";
import type { TraceReader } from "../moment.ts";
import type { TakenTransition } from "../trace-event.ts";
import { recordedCandidates } from "./explain-recorded.ts";

/** The first transition that an event took, and its guard. */
export interface TakenGuard {
  readonly transition: TakenTransition;
  /** The values that the guard of this package's machine reads. */
  readonly reads: Candidate["reads"];
  /** Whether that guard refuses what was taken: the machine had another guard of this name. */
  readonly isRefused: boolean;
}

/**
 * The first transition that an event took: as its microsteps have it, or else as its journal explains it. Undefined where
 * neither does.
 */
export function takenGuard(trace: TraceReader, at: number): TakenGuard | undefined {
  const { record, microsteps } = trace.event(at);
  const candidates = recordedCandidates(trace, at);
  const reported = microsteps?.[0]?.transitions[0];
  const own =
    reported === undefined
      ? candidates.find(({ verdict }) => verdict === "taken")
      : candidates.find(({ state, guard }) => state === reported.source && guard === reported.guard);
  const transition = reported ?? transitionOf(own, record.kind === "commit" ? record.cause?.type : undefined);
  if (transition === undefined) return undefined;
  return { transition, reads: own?.reads ?? [], isRefused: own?.verdict === "fails" };
}

const transitionOf = (own: Candidate | undefined, event = ""): TakenTransition | undefined =>
  own && {
    source: own.state,
    event,
    ...(own.guard !== undefined && { guard: own.guard }),
    targets: own.targets,
  };
