import path from "node:path";
import { createActor } from "xstate";
import {
  type CallEnd,
  createAskBoard,
  type Edge,
  EffectLedger,
  edgeActors,
  systemClock,
} from "../actors/index.ts";
import { openCheckpoints, openWorkspace, systemShell } from "../adapters/index.ts";
import type { Past, TaskInput } from "../machines/task/index.ts";
import { createGate, type Gate, type JournalDriver } from "../store/index.ts";
import { allowReadsInside, askAPerson, builtinTools, firstOf } from "../tools/index.ts";
import type { JournalHeader } from "../wire/index.ts";
import { Breakpoints } from "./breakpoints.ts";
import type { FamilyPort } from "./family.ts";
import type { HostOptions, TaskOptions } from "./host-options.ts";
import { derivationLaw } from "./law-check.ts";
import type { DroppedTail } from "./reopen.ts";
import { settleIn, sharedMachine } from "./shared-machine.ts";
import type { TaskSnapshot } from "./shown-task.ts";
import { Task } from "./task.ts";
import { watchSteps } from "./watch-steps.ts";
import { DEFAULT_WORD_LIMITS, WordCheck } from "./words.ts";

const standardTools = builtinTools();
const standardWords = new WordCheck(DEFAULT_WORD_LIMITS);

/** What surrounds a task: its host, its journal, and where it comes from. */
export interface Surroundings extends HostOptions {
  readonly newId: () => string;
  readonly driver: JournalDriver;
  readonly dataDir: string;
  /** The task's own. */
  readonly folder: string;
  /** Called when the task is closed, or can't go on. */
  readonly onEnd: () => void;
  /** Of a subtask: whose. */
  readonly parent?: NonNullable<JournalHeader["parent"]>;
  /** Runs this task's subtasks. */
  readonly family: FamilyPort;
  /** Of a task that is opened again. */
  readonly reopened?: { readonly past: Past; readonly lastSeq: number; readonly dropped?: DroppedTail };
}

/** A task, started over its journal. It has nothing to do yet, or rests on its resume ask. */
export async function openTask(id: string, options: TaskOptions, host: Surroundings): Promise<Task> {
  const clock = host.clock ?? systemClock;
  const workspace = await openWorkspace(options.workspace);
  const trouble: Trouble = {};
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
    onError: (error) => tell(host, id, trouble, error),
    gather: setImmediate,
  });
  const board = createAskBoard();
  const shell = systemShell({ artifacts: path.join(host.folder, "output") });
  const ends = new EffectLedger({ clock, onEnd: (end) => recordEnd(gate, end) });
  const laws = options.laws ?? derivationLaw;
  const breakpoints = new Breakpoints(
    (listener, holdsLaws) => watchSteps(actor, holdsLaws ? laws : undefined, listener),
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
    board,
    ends,
    ...(options.checkpoints === true && {
      checkpoints: () => openCheckpoints({ workspace: workspace.root, dataDir: host.dataDir }),
    }),
    subtasks: host.family,
    isSubtask: host.parent !== undefined,
    ...(options.expiry !== undefined && { expiry: options.expiry }),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    ...(options.llm !== undefined && { llm: options.llm }),
  });
  const actors = { ...standard, ...options.actors?.(standard, edge) };
  const actor = createActor(sharedMachine, { input: inputOf(id, options, host) });
  settleIn(actor.system, actors);
  gate.attach(actor);
  const endEffects = async (): Promise<void> => {
    try {
      await ends.quiet();
      await host.family.close();
    } finally {
      shell.close();
      breakpoints.close();
    }
  };
  const words =
    options.words === undefined ? standardWords : new WordCheck({ ...DEFAULT_WORD_LIMITS, ...options.words });
  const task = new Task({
    id,
    workspace: workspace.root,
    parent: host.parent,
    dropped: host.reopened?.dropped,
    actor,
    gate,
    board,
    clock,
    newId: host.newId,
    words,
    breakpoints,
    endEffects,
    subtasksUsage: host.family.usage,
  });
  actor.start();
  // A task breaks when its actor throws, or when its gate ends by itself. One that is being closed does not.
  const breakOff = (cause: unknown): void => {
    task.breakOff(cause);
    host.onEnd();
  };
  actor.subscribe({ error: breakOff });
  gate.commits$.subscribe({ complete: () => breakOff(trouble.newest) });
  return task;
}

function inputOf(taskId: string, options: TaskOptions, { reopened }: Surroundings): TaskInput {
  const { limits, autoRetry, checkpoints, mode } = options;
  return {
    taskId,
    ...(limits !== undefined && { limits }),
    ...(autoRetry !== undefined && { autoRetry }),
    ...(checkpoints !== undefined && { checkpoints }),
    ...(mode !== undefined && { mode }),
    ...(reopened !== undefined && { past: reopened.past }),
  };
}

/** What the gate told last: why it closed, where the task's actor itself did not fail. */
interface Trouble {
  newest?: unknown;
}

function tell(host: HostOptions, id: string, trouble: Trouble, error: unknown): void {
  trouble.newest = error;
  if (host.onError !== undefined) host.onError(error, id);
  else throwAtProcess(error);
}

export const throwAtProcess = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });

/**
 * The end of a call that the task still waits for is in the commit that settles it. Only that of a stopped one needs a
 * record of its own (L12). The journal that can't take it has told the task so already; it is kept and written with
 * the next.
 */
function recordEnd(gate: Gate<TaskSnapshot>, { callId, content, stopped }: CallEnd): void {
  if (stopped) gate.record({ callId, content }).catch(() => undefined);
}
