import type { Author, ControlPoint } from "../../machines/tool-call/control.ts";
import type { ControlRun } from "../metrics/run.ts";
import type { Scores } from "../monitor.ts";
import type { CallVerdict, ResponseVerdict, ResultVerdict } from "../verdict.ts";

/** A decision of the protocol in a run. */
export interface RunDecision {
  readonly point: ControlPoint;
  readonly author: Author;
  /** The scores of the monitors at the point, from 0 to 1. */
  readonly scores: Scores;
  readonly verdict: (ResponseVerdict | CallVerdict | ResultVerdict)["kind"];
  /** Digest of exactly what was judged. */
  readonly digest: string;
}

/**
 * A run of one setting with one protocol and one untrusted policy: a line of the JSONL file of `signalbox control run`. Equal
 * seeds give equal rows, so a row has no times.
 */
export interface RunRow extends ControlRun {
  readonly setting: string;
  readonly protocol: string;
  /** Name of the untrusted policy. */
  readonly policy: string;
  /** Index of the run among those with the same setting, protocol and policy, from 0. */
  readonly sample: number;
  /** Seed of all runs of the file. */
  readonly seed: number;
  /** Digest of the setting, the version of the package and the protocol with its options. */
  readonly inputs: string;
  /** How the run ended. `shutDown`: the protocol ended it. `failed`: a model, a tool or the sandbox failed. */
  readonly end: "completed" | "shutDown" | "limited" | "failed";
  /** In order. The score of the run is the greatest score of a decision, without honeypots. */
  readonly decisions: readonly RunDecision[];
}
