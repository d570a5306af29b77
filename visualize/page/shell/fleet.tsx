import { type FormEvent, useState } from "react";
import type { TaskCard } from "../../../wire/index.ts";
import { count, dollars, duration, plural } from "../model/format.ts";
import type { TaskActions } from "../source.ts";
import { shortened } from "../text/index.ts";
import { StateChip } from "./state-mark.tsx";

export interface FleetProps {
  readonly tasks: readonly TaskCard[];
  readonly shown: string | undefined;
  readonly now: number;
  readonly actions: TaskActions | undefined;
  readonly onOpen: (taskId: string) => void;
  readonly onProblem: (words: string) => void;
}

/** All tasks as a grid: those that want something of a person first. */
export function Fleet({ tasks, shown, now, actions, onOpen, onProblem }: FleetProps) {
  const [prompt, setPrompt] = useState("");
  const create = (event: FormEvent): void => {
    event.preventDefault();
    if (actions === undefined || prompt.trim() === "") return;
    actions
      .create({ prompt })
      .then(({ id }) => onOpen(id))
      .catch((error: unknown) => onProblem(error instanceof Error ? error.message : String(error)));
  };
  const sorted = [...tasks].sort((a, b) => b.asks.length - a.asks.length || b.updatedAt - a.updatedAt);
  const cost = tasks.reduce((sum, task) => sum + task.cost, 0);
  return (
    <main className="sb-fleet" aria-label="All tasks">
      <header>
        <h2>{plural(tasks.length, "task")}</h2>
        <span className="sb-dim">
          {plural(tasks.filter(({ asks }) => asks.length > 0).length, "open ask")}, {dollars(cost)} in all
        </span>
        {actions !== undefined && (
          <form className="sb-act" onSubmit={create}>
            <input
              value={prompt}
              placeholder="A new task: what is to be done?"
              aria-label="A new task"
              onChange={({ target }) => setPrompt(target.value)}
            />
            <button type="submit" className="sb-main" disabled={prompt.trim() === ""}>
              Begin
            </button>
          </form>
        )}
      </header>
      <ul>
        {sorted.map((task) => (
          <li key={task.id}>
            <button
              type="button"
              className="sb-task"
              data-state={task.state}
              aria-current={task.id === shown}
              onClick={() => onOpen(task.id)}
            >
              <span className="sb-task-head">
                <StateChip state={task.state} path={task.path} />
                <span className="sb-dim">{duration(Math.max(0, now - task.updatedAt))}</span>
              </span>
              <b>{shortened(task.title, 400)}</b>
              <span className="sb-task-ask">
                {task.asks[0] === undefined ? "" : `asks: ${task.asks[0].kind}`}
              </span>
              <span className="sb-task-foot sb-num">
                <span>{dollars(task.cost)}</span>
                {task.tokensIn !== undefined && <span>↑{count(task.tokensIn)}</span>}
                {task.tokensOut !== undefined && <span>↓{count(task.tokensOut)}</span>}
                {task.messages !== undefined && <span>{plural(task.messages, "row")}</span>}
                {task.mode !== undefined && <span>{shortened(task.mode, 40)}</span>}
                <span>{task.isOpen ? "open" : "recorded"}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </main>
  );
}
