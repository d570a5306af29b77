import { useEffect, useState } from "react";
import type { TaskCard } from "../../../wire/index.ts";
import type { PageSource } from "../source.ts";

/** All tasks of the source, the newest first; undefined until they are known. */
export function useTasks(source: PageSource): readonly TaskCard[] | undefined {
  const [tasks, setTasks] = useState<readonly TaskCard[] | undefined>(undefined);
  useEffect(
    () => source.watchTasks((now) => setTasks([...now].sort((a, b) => b.updatedAt - a.updatedAt))),
    [source],
  );
  return tasks;
}
