import path from "node:path";
import { createActor } from "xstate";
import {
  CallTracker,
  createOpenAsks,
  type Edge,
  type EndedCall,
  edgeActors,
  systemClock,
  throwUncaught,
} from "../actors/index.ts";
import { openCheckpoints, openWorkspace, systemShell } from "../adapters/index.ts";
import type { ReopenedTask, TaskInput } from "../machines/task/index.ts";
import { createGate, type Gate, type JournalDriver } from "../store/index.ts";
import { allowReadsInside, askAPerson, builtinTools, firstOf } from "../tools/index.ts";
import type { JournalHeader } from "../wire/index.ts";
import { Breakpoints } from "./breakpoints/breakpoints.ts";
import { derivationLaw, observeMacrosteps } from "./breakpoints/macrosteps.ts";
import type { HostOptions, TaskOptions } from "./options.ts";
import type { DroppedTail } from "./recovery.ts";
import { registerEdgeActors, sharedMachine } from "./shared-machine.ts";
import type { TaskSubtasks } from "./subtasks/subtask-tree.ts";
import { Task } from "./task/task.ts";
import type { TaskSnapshot } from "./task/task-view.ts";
import { DEFAULT_USER_INPUT_LIMITS, UserInputValidator } from "./task/user-input.ts";

const standardTools = builtinTools();
const standardInput = new UserInputValidator(DEFAULT_USER_INPUT_LIMITS);

/** The environment of a task: its host, journal and parent. */
export interface TaskEnvironment extends HostOptions {
  readonly newId: () => string;
  readonly driver: JournalDriver;
  readonly dataDir: string;
  /** The task's folder. */
  readonly folder: string;
  /** Called when the task is closed, or can't continue. */
  readonly onEnd: () => void;
  /** Of a subtask. */
  readonly parent?: NonNullable<JournalHeader["parent"]>;
  readonly subtasks: TaskSubtasks;
  /** Of a reopened task. */
  readonly reopened?: {
    readonly past: ReopenedTask;
    readonly lastSeq: number;
    readonly dropped?: DroppedTail;
  };
}

/** Assemble and start a task over its journal. A new task waits for its prompt, a reopened one for its resume ask. */
export async function openTask(id: string, options: TaskOptions, host: TaskEnvironment): Promise<Task> {
  const clock = host.clock ?? systemClock;
  const workspace = await openWorkspace(options.workspace);
  /** The reason when the gate closes although the task's actor has not failed. */
  let gateError: unknown;
  const gate = createGate<TaskSnapshot>({
    driver: host.driver,
    header: {
      taskId: id,
      createdAt: clock.now(),
      workspace: workspace.root,
      ...(host.parent !== undefined && { parent: host.parent }),
    },
    ...(host.reopened !== undefined && { lastSeq: host.reopened.lastSeq }),
    clock,
    onError(error) {
      gateError = error;
      if (host.onError === undefined) throwUncaught(error);
      else host.onError(error, id);
    },
    scheduleWrite: setImmediate,
  });
  const asks = createOpenAsks();
  const shell = systemShell({ artifacts: path.join(host.folder, "output") });
  const calls = new CallTracker({ clock, onEnd: (call) => recordEnd(gate, call) });
  const laws = options.laws ?? derivationLaw;
  const breakpoints = new Breakpoints(
    (listener, holdsLaws) => observeMacrosteps(actor, holdsLaws ? laws : undefined, listener),
    options.breakpoints,
  );
  const { release } = gate;
  const edge: Edge = { clock, random: host.random ?? Math.random, release, pass: breakpoints.pass };
  const standard = edgeActors(edge, {
    model: options.model,
    tools: options.tools ?? standardTools,
    policy: options.policy ?? firstOf(allowReadsInside(), askAPerson()),
    workspace,
    shell,
    asks,
    calls,
    ...(options.checkpoints === true && {
      checkpoints: () => openCheckpoints({ workspace: workspace.root, dataDir: host.dataDir }),
    }),
    subtasks: host.subtasks,
    isSubtask: host.parent !== undefined,
    ...(options.expiry !== undefined && { expiry: options.expiry }),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    ...(options.llm !== undefined && { llm: options.llm }),
  });
  const actors = { ...standard, ...options.actors?.(standard, edge) };
  const actor = createActor(sharedMachine, { input: inputOf(id, options, host) });
  registerEdgeActors(actor.system, actors);
  gate.attach(actor);
  const endEffects = async (): Promise<void> => {
    try {
      await calls.quiesce();
      await host.subtasks.close();
    } finally {
      shell.close();
      breakpoints.close();
    }
  };
  const { inputLimits } = options;
  const input =
    inputLimits === undefined
      ? standardInput
      : new UserInputValidator({ ...DEFAULT_USER_INPUT_LIMITS, ...inputLimits });
  const task = new Task({
    id,
    workspace: workspace.root,
    parent: host.parent,
    dropped: host.reopened?.dropped,
    actor,
    gate,
    asks,
    clock,
    newId: host.newId,
    input,
    breakpoints,
    endEffects,
    subtasksUsage: host.subtasks.usage,
  });
  actor.start();
  // A task fails when its actor throws, or when its gate closes although the task does not.
  const fail = (cause: unknown): void => {
    task.fail(cause);
    host.onEnd();
  };
  actor.subscribe({ error: fail });
  gate.commits$.subscribe({ complete: () => fail(gateError) });
  return task;
}

function inputOf(taskId: string, options: TaskOptions, { reopened }: TaskEnvironment): TaskInput {
  const { limits, autoRetry, checkpoints, mode } = options;
  return {
    taskId,
    ...(limits !== undefined && { limits }),
    ...(autoRetry !== undefined && { autoRetry }),
    ...(checkpoints !== undefined && { checkpoints }),
    ...(mode !== undefined && { mode }),
    ...(reopened !== undefined && { reopened: reopened.past }),
  };
}

/**
 * Record the result of a stopped call (L12). The result of any other call is in the commit that settles it. The gate
 * reports a journal that fails, and writes the record with the next one.
 */
function recordEnd(gate: Gate<TaskSnapshot>, { callId, content, stopped }: EndedCall): void {
  if (stopped) gate.record({ callId, content }).catch(() => undefined);
}
