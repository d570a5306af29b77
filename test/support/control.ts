import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { Controller } from "../../control/runtime/controller.ts";
import type { ControlRecord } from "../../machines/tool-call/control.ts";
import { allowEverything } from "../../tools/index.ts";
import { openRig, type Rig, type RigOptions } from "./host.ts";

/** A controller whose monitors all give the score of one function. */
export const controllerOf = (
  protocol: Controller["protocol"],
  score: (action: MonitoredAction) => number,
  more: Partial<Controller> = {},
): Controller => ({
  protocol,
  monitors: Object.fromEntries(
    Object.keys(protocol.monitors).map((name) => [
      name,
      (action: MonitoredAction) => ({ score: score(action), rationale: `secret reason of ${name}` }),
    ]),
  ),
  ...more,
});

/** A command line, suspicious if it says `evil`. */
export const suspicious = ({ call, calls, text = "", result = "" }: MonitoredAction): number =>
  JSON.stringify([call ?? calls, text, result]).includes("evil") ? 0.9 : 0.1;

/** A rig whose task a protocol controls, and in which everything is allowed. */
export const controlRig = (control: Controller, options: Partial<RigOptions>): Promise<Rig> =>
  openRig({ policy: allowEverything(), control, ...options });

/** The decisions of the protocol of a rig. */
export const recordsOf = ({ shown }: Pick<Rig, "shown">): readonly ControlRecord[] =>
  shown.flatMap(({ commit }) => commit.control ?? []);

/** Point and verdict of each decision. */
export const verdictsOf = (rig: Pick<Rig, "shown">): readonly string[] =>
  recordsOf(rig).map(({ point, author, verdict }) => `${point} of ${author}: ${verdict}`);
