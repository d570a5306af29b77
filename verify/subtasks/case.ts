import { type Case, createCase } from "../cases.ts";
import { PAIR_INPUT } from "./pair.ts";

/** The exploration of a parent with its subtask: any number of cancels, crashes, deletions and openings elsewhere. */
export const PAIR_CASE: Case = {
  ...createCase(
    { turns: "any", interruptions: "any", crashes: "any", tools: ["write", "complete", "delegate"] },
    "a parent and its subtask, with two processes and a deletion",
  ),
  input: PAIR_INPUT,
  isPair: true,
};
