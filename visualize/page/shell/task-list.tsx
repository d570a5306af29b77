import { type FormEvent, useState } from "react";
import { addCost } from "../../../machines/task/request.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { count, dollars, duration, errorText, plural } from "../model/format.ts";
import { statusOf } from "../model/status.ts";
import type { TaskActions } from "../source.ts";
import { shortened } from "../text/printable.ts";
import { StateBadge } from "./state-badge.tsx";

export interface TaskListProps {
  readonly tasks: readonly TaskInfo[];
  readonly shown: string | undefined;
  readonly now: number;
  readonly actions: TaskActions | undefined;
  readonly onOpen: (taskId: string) => void;
  readonly onError: (message: string) => void;
}

/** All tasks as a grid, those with an open ask first. */
export function TaskList({ tasks, shown, now, actions, onOpen, onError }: TaskListProps) {
  const [prompt, setPrompt] = useState("");
  const create = (event: FormEvent): void => {
    event.preventDefault();
    if (actions === undefined || prompt.trim() === "") return;
    actions
      .create({ prompt })
      .then(({ id }) => onOpen(id))
      .catch((error: unknown) => onError(errorText(error)));
  };
  const sorted = [...tasks].sort((a, b) => b.asks.length - a.asks.length || b.updatedAt - a.updatedAt);
  const cost = tasks.reduce<number | null>((sum, task) => addCost(sum, task.cost), 0);
  return (
    <main className="sb-task-list" aria-label="All tasks">
      <header>
        <h2>{plural(tasks.length, "task")}</h2>
        <span className="sb-dim">
          {plural(tasks.filter(({ asks }) => asks.length > 0).length, "open ask")},{" "}
          {cost === null ? "total cost unknown" : `${dollars(cost)} total`}
        </span>
        {actions !== undefined && (
          <form className="sb-action-bar" onSubmit={create}>
            <input
              value={prompt}
              placeholder="Prompt for a new task"
              aria-label="A new task"
              onChange={({ target }) => setPrompt(target.value)}
            />
            <button type="submit" className="sb-main" disabled={prompt.trim() === ""}>
              Create task
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
                <StateBadge state={task.state} path={task.path} label={statusOf(task).word} />
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
                {task.messages !== undefined && <span>{plural(task.messages, "message")}</span>}
                {task.mode !== undefined && <span>{shortened(task.mode, 40)}</span>}
                {task.intent !== undefined && <span>{shortened(task.intent ?? "no intent", 40)}</span>}
                <span>{task.isOpen ? "open" : "recorded"}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </main>
  );
}
