import { useEffect, useState } from "react";
import type { TaskInfo } from "../../../wire/index.ts";
import type { PageSource } from "../source.ts";

/** All tasks of the source, the newest first; undefined until they are known. */
export function useTasks(source: PageSource): readonly TaskInfo[] | undefined {
  const [tasks, setTasks] = useState<readonly TaskInfo[] | undefined>(undefined);
  useEffect(
    () => source.watchTasks((now) => setTasks([...now].sort((a, b) => b.updatedAt - a.updatedAt))),
    [source],
  );
  return tasks;
}
