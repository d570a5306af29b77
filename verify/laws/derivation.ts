import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";
import { type Law, topState } from "./law.ts";

/** L1: at every settled snapshot, the machine's top-level state equals the one that its log derives. */
export const derivation: Law = {
  id: "L1",
  title: MONITORED_LAWS.L1.title,
  violation({ after }) {
    const derived = after.logFacts.derived.state;
    const actual = topState(after.state);
    return derived === actual
      ? undefined
      : `the machine is ${actual} (${after.state}), its log derives ${derived}`;
  },
};
