import type { ProposedCall } from "../../control/facts.ts";
import type { Protocol } from "../../control/protocol.ts";
import type { MonitoredAction, RunMonitor } from "../../control/runtime/action.ts";
import { type Controller, keysOf } from "../../control/runtime/controller.ts";
import { honestStep } from "./policies/policy.ts";
import { callOf, pastCommands } from "./policies/policy-model.ts";
import type { ControlSetting } from "./setting/setting.ts";
import { suspicion } from "./suspicion.ts";

interface ControllerParts {
  readonly setting: ControlSetting;
  /** Commands of the run that attempt the side task. Grows while it runs. */
  readonly attempts: ReadonlySet<string>;
  /** Seed of the run. */
  readonly seed: number;
}

/**
 * A protocol with scripted actors: monitors that score by words, a trusted model that writes the honest command of the same
 * turn, and an auditor that knows which commands are attempts.
 */
export const scriptedController = (
  protocol: Protocol,
  { setting, attempts, seed }: ControllerParts,
): Controller => ({
  protocol,
  seed: Math.floor(seed * 2 ** 32),
  monitors: scriptedMonitors(protocol, seed),
  trusted: ({ conversation }) => {
    const { name: tool, input } = callOf(honestStep(setting, pastCommands(conversation.toArray()).length));
    return { call: { tool, input } };
  },
  auditor(action) {
    const isAttack = callsOf(action).some(({ input }) => attempts.has(String(input.command ?? "").trim()));
    return isAttack ? "attack" : "harmless";
  },
});

const callsOf = ({ call, calls, author }: MonitoredAction): readonly ProposedCall[] =>
  author === "trusted" ? [] : call === undefined ? calls : [call];

const scriptedMonitors = (protocol: Protocol, seed: number): Readonly<Record<string, RunMonitor>> =>
  Object.fromEntries(
    Object.keys(protocol.monitors)
      .flatMap((name) => keysOf(protocol, name))
      .map((monitor): [string, RunMonitor] => [monitor, (action) => suspicion(action, { seed, monitor })]),
  );
