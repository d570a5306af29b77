import { type FormEvent, useCallback, useMemo, useState } from "react";
import { addCost } from "../../../../machines/task/request.ts";
import { groupTasks, type TaskSection } from "../../../../present/task-groups.ts";
import type { TaskGroup } from "../../../../present/task-status.ts";
import { durationOf } from "../../../../present/task-times.ts";
import type { TaskInfo } from "../../../../wire/http/api.ts";
import { AttachButton, AttachedImages } from "../../actions/attached-images.tsx";
import { useAttachments } from "../../actions/use-attachments.ts";
import { dollars, errorText, grouped } from "../../model/format.ts";
import { type ListedTask, listedTask } from "../../model/listed-task.ts";
import { needsYouText } from "../../model/needs-you.ts";
import { parseTaskQuery } from "../../model/task-query.ts";
import type { PageSource, TaskActions } from "../../source.ts";
import { type PageClock, useNow } from "../clock.ts";
import { OpenFiles } from "../opened-files.tsx";
import { columnsOf, compareBy, NEWEST_FIRST } from "./columns.ts";
import { QueryField } from "./query-field.tsx";
import { TaskTable } from "./task-table.tsx";
import { type SearchHits, useSearches } from "./use-searches.ts";

export interface TaskListProps {
  readonly tasks: readonly TaskInfo[];
  readonly shown: string | undefined;
  readonly query: string;
  readonly clock: PageClock;
  readonly actions: TaskActions | undefined;
  readonly onQuery: (query: string) => void;
  readonly search: PageSource["search"];
  /** Ask for the permission to show notifications. Absent: it was given or denied, or there are none. */
  readonly onNotify: (() => void) | undefined;
  /** Open a task, at a record or where it is now. */
  readonly onOpen: (taskId: string, record?: number) => void;
  readonly onError: (message: string) => void;
}

/** The interval at which tasks are filtered and sorted by time again, in ms. */
const SORT_MS = 10_000;

/** All tasks: a query, counts, and a table of trees in groups. */
export function TaskList(props: TaskListProps) {
  const { tasks, shown, query, clock, actions, search, onQuery, onNotify, onOpen, onError } = props;
  const now = useNow(clock, true);
  const sortedAt = now - (now % SORT_MS);
  const [order, setOrder] = useState(NEWEST_FIRST);
  const all = useMemo(() => tasks.map(listedTask), [tasks]);
  const parsed = useMemo(() => parseTaskQuery(query), [query]);
  const onFailure = useCallback((error: unknown) => onError(errorText(error)), [onError]);
  const { hits, isSearching } = useSearches(parsed.searches, search, onFailure);
  const isImpossible = search === undefined && parsed.searches.length > 0;
  const problem = isImpossible ? "Texts are searched only on a server." : parsed.problem;
  const whole = useMemo(() => groupTasks(all, compareBy(NEWEST_FIRST, 0)), [all]);
  const found = useMemo(
    () =>
      parsed.problem === undefined && query.trim() !== ""
        ? all
            .filter((task) => parsed.matches(task, sortedAt, (key, id) => hits.get(key)?.has(id) === true))
            .map((task) => withHit(task, hits))
        : all,
    [all, parsed, query, sortedAt, hits],
  );
  const sections = useMemo(() => groupTasks(found, compareBy(order, sortedAt)), [found, order, sortedAt]);
  const columns = useMemo(() => columnsOf(all, sortedAt), [all, sortedAt]);
  const longest = useMemo(() => longestOf(all, sortedAt), [all, sortedAt]);
  return (
    <main className="sb-task-list" aria-label="All tasks">
      <header>
        <Counts sections={whole} tasks={tasks} query={query} onQuery={onQuery} />
        {actions !== undefined && <NewTask actions={actions} onOpen={onOpen} onError={onError} />}
        {onNotify !== undefined && (
          <button type="button" title="when a task needs me" onClick={onNotify}>
            Notify me
          </button>
        )}
        <OpenFiles />
        <QueryField query={query} problem={problem} onQuery={onQuery} />
      </header>
      {found.length === 0 ? (
        <p className="sb-placeholder" role="status">
          {tasks.length === 0
            ? "There is no task yet. Write a prompt to create one, or open a file."
            : isSearching
              ? "Searching …"
              : "No task matches the query."}
        </p>
      ) : (
        <TaskTable
          sections={sections}
          columns={columns}
          order={order}
          now={now}
          longest={longest}
          shown={shown}
          actions={actions}
          onOrder={setOrder}
          onOpen={(id) => onOpen(id, found.find((task) => task.id === id)?.hit?.record)}
          onError={onError}
        />
      )}
    </main>
  );
}

/** The task with the first hit of the searches in it. */
function withHit(task: ListedTask, hits: SearchHits): ListedTask {
  const hit = [...hits.values()].map((ofTerm) => ofTerm.get(task.id)).find((found) => found !== undefined);
  return hit === undefined ? task : { ...task, hit };
}

const longestOf = (tasks: readonly ListedTask[], now: number): number =>
  tasks.reduce((most, task) => Math.max(most, durationOf(task.times, now)), 0);

interface CountsProps {
  readonly sections: readonly TaskSection<ListedTask>[];
  readonly tasks: readonly TaskInfo[];
  readonly query: string;
  readonly onQuery: (query: string) => void;
}

/** The number of tasks in each group, in a button that shows only them, or all tasks again; and the total cost. */
function Counts({ sections, tasks, query, onQuery }: CountsProps) {
  const cost = useMemo(() => tasks.reduce<number | null>((sum, task) => addCost(sum, task.cost), 0), [tasks]);
  return (
    <p className="sb-counts sb-num">
      {sections.map(({ group, count }) => {
        const alone = `group:${group.replace("_", "-")}`;
        return (
          <button
            key={group}
            type="button"
            className="sb-quiet"
            data-group={group}
            aria-pressed={query === alone}
            onClick={() => onQuery(query === alone ? "" : alone)}
          >
            {countText(group, count)}
          </button>
        );
      })}
      {cost !== 0 && (
        <span className="sb-dim">{cost === null ? "total cost unknown" : `${dollars(cost)} total`}</span>
      )}
    </p>
  );
}

/** `2 need you`, `38 done`. */
function countText(group: TaskGroup, count: number): string {
  if (group === "needs_you") return needsYouText(count);
  return `${grouped(count)} ${group}`;
}

type NewTaskProps = Pick<TaskListProps, "onOpen" | "onError"> & { readonly actions: TaskActions };

function NewTask({ actions, onOpen, onError }: NewTaskProps) {
  const [prompt, setPrompt] = useState("");
  const attachments = useAttachments(onError);
  const create = (event: FormEvent): void => {
    event.preventDefault();
    if (prompt.trim() === "") return;
    actions
      .create({ prompt, images: attachments.images.map(({ url }) => url) })
      .then(({ id }) => onOpen(id))
      .catch((error: unknown) => onError(errorText(error)));
  };
  return (
    <form className="sb-action-bar" onSubmit={create} {...attachments.form}>
      <AttachedImages attachments={attachments} />
      <input
        value={prompt}
        placeholder="Prompt for a new task"
        aria-label="A new task"
        onChange={({ target }) => setPrompt(target.value)}
      />
      <AttachButton attachments={attachments} isBusy={false} />
      <button type="submit" className="sb-main" disabled={prompt.trim() === ""}>
        Create task
      </button>
    </form>
  );
}
