import { useEffect, useRef, useState } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { listedTask } from "../model/listed-task.ts";
import { shortened } from "../text/printable.ts";

/**
 * Notify the user of each task that comes to need a person while the page is hidden, once the user permits it. Returns a
 * function that asks for the permission; undefined where the user has decided, the browser has no notifications, or
 * `tasks` is absent because they are no live ones.
 */
export function useNotifications(
  tasks: readonly TaskInfo[] | undefined,
  onOpen: (taskId: string) => void,
): (() => void) | undefined {
  const [permission, setPermission] = useState(() =>
    "Notification" in globalThis ? Notification.permission : "denied",
  );
  const waiting = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    if (tasks === undefined) return;
    const before = waiting.current;
    const now = tasks.filter((info) => listedTask(info).group === "needs_you");
    waiting.current = new Set(now.map(keyOf));
    if (before === undefined || permission !== "granted" || !document.hidden) return;
    for (const info of now) if (!before.has(keyOf(info))) notify(info, onOpen);
  }, [tasks, permission, onOpen]);
  if (permission !== "default" || tasks === undefined) return undefined;
  return () => void Notification.requestPermission().then(setPermission);
}

/** A task that asks again needs a person again. */
const keyOf = ({ id, asks: [ask] }: TaskInfo): string => `${id} ${ask?.askId ?? ""}`;

const TITLE_MAX_CHARS = 80;
const REASON_MAX_CHARS = 200;

function notify(info: TaskInfo, onOpen: (taskId: string) => void): void {
  const body = shortened(listedTask(info).status.reason, REASON_MAX_CHARS);
  // A later notification of the task replaces this one.
  const shown = new Notification(shortened(info.title, TITLE_MAX_CHARS), { body, tag: info.id });
  shown.onclick = () => {
    focus();
    onOpen(info.id);
    shown.close();
  };
}
