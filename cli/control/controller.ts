import { modelMonitor } from "../../adapters/control/model-monitor.ts";
import { trustedModel } from "../../adapters/control/trusted-model.ts";
import type { Protocol } from "../../control/protocol.ts";
import type { AuditAction, MonitorScope, RunMonitor, WriteTrusted } from "../../control/runtime/action.ts";
import { type Controller, keysOf } from "../../control/runtime/controller.ts";
import type { ChatModel } from "../../ports/model.ts";
import type { Tool } from "../../tools/tool.ts";
import { honestStep } from "./policies/policy.ts";
import { callOf, pastCommands } from "./policies/policy-model.ts";
import type { ControlSetting } from "./setting/setting.ts";
import { suspicion } from "./suspicion.ts";

/** Models in place of scripts. */
export interface ControlModels {
  /** Gives all scores. Absent: a script that knows suspicious words. */
  readonly monitor?: ChatModel;
  /** Writes the trusted actions. Absent: a script that writes the honest command of the turn. */
  readonly trusted?: ChatModel;
}

interface ControllerParts {
  readonly setting: ControlSetting;
  readonly models: ControlModels;
  readonly auditor: AuditAction;
  /** The tools of the task. */
  readonly tools: readonly Tool[];
  /** Seed of the run. */
  readonly seed: number;
  /** Called with the error of a monitor, the trusted model or the auditor: to the protocol, the action is only suspicious. */
  readonly onFailure: (error: unknown) => void;
}

/** A protocol with its monitors, its trusted model and its auditor. */
export const controllerOf = (
  protocol: Protocol,
  { setting, models, auditor, tools, seed, onFailure }: ControllerParts,
): Controller => {
  const trusted =
    models.trusted === undefined ? scriptedTrusted(setting) : trustedModel(models.trusted, { tools });
  return {
    protocol,
    seed: Math.floor(seed * 2 ** 32),
    monitors: Object.fromEntries(
      monitorsOf(protocol, models.monitor, seed).map(([name, monitor]): [string, RunMonitor] => [
        name,
        (action, scope) => reported(() => monitor(action, scope), scope, onFailure),
      ]),
    ),
    trusted: (action, from, scope) => reported(() => trusted(action, from, scope), scope, onFailure),
    auditor: (action, scope) => reported(() => auditor(action, scope), scope, onFailure),
  };
};

/** Do work whose error is reported, unless it was stopped. */
async function reported<Result>(
  work: () => Result | Promise<Result>,
  { signal }: MonitorScope,
  onFailure: (error: unknown) => void,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) onFailure(error);
    throw error;
  }
}

/** The honest command of the same turn. */
const scriptedTrusted =
  (setting: ControlSetting): WriteTrusted =>
  ({ conversation }) => {
    const { name: tool, input } = callOf(honestStep(setting, pastCommands(conversation.toArray()).length));
    return { call: { tool, input } };
  };

const monitorsOf = (
  protocol: Protocol,
  model: ChatModel | undefined,
  seed: number,
): readonly (readonly [name: string, monitor: RunMonitor])[] =>
  Object.keys(protocol.monitors)
    .flatMap((name) => keysOf(protocol, name))
    .map((monitor) => [
      monitor,
      model === undefined ? (action) => suspicion(action, { seed, monitor }) : modelMonitor(model),
    ]);
