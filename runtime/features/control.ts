import { pointsOf } from "../../control/runtime/controller.ts";
import type { ControlState } from "../../machines/tool-call/control.ts";
import { HostError } from "../task/errors.ts";
import type { Adds, HostFeature } from "./feature.ts";

/** The protocol that controls a task. Its state is recorded, and a reopened task continues with it. */
export function controlFeature(): HostFeature<Adds<"control">> {
  return ({ id: taskId, options: { control: controller } }) => {
    if (controller === undefined) return undefined;
    const { protocol } = controller;
    const input = { protocol: protocol.name, state: protocol.state, points: pointsOf(protocol) };
    return {
      input: { control: input },
      reside: () => ({ environment: { control: { taskId, controller } } }),
    };
  };
}

/** Reject a reopened task without the protocol that controls it. @throws HostError `OPTION_INVALID` */
export function assertControlled(
  taskId: string,
  recorded: ControlState | null | undefined,
  given: { readonly protocol: { readonly name: string } } | undefined,
): void {
  if (recorded === undefined || recorded === null || given?.protocol.name === recorded.protocol) return;
  const got = given === undefined ? "none" : `"${given.protocol.name}"`;
  throw new HostError(
    "OPTION_INVALID",
    `The options of the task ${taskId} are invalid: control: expected the protocol "${recorded.protocol}", which controls the task, got ${got}. Pass it.`,
  );
}
