import { NO_STORE, SECURITY_HEADERS } from "../headers.ts";
import type { Route } from "../routes/route.ts";
import type { Services } from "../services.ts";
import type { OwnerRequests } from "./owner-requests.ts";

/** The routes whose commands go through the inbox of a task. */
const SENT: ReadonlySet<string> = new Set(["continueTask", "pauseTask", "cancelTask", "closeTask"]);

/** Whether a route needs a task that is open. */
const needsOpenTask = ({ problems }: Route): boolean => problems.includes("TASK_CLOSED");

/** Whether the worker that owns the task serves a request. A subtask has no inbox of its own. */
export async function isRelayed(
  route: Route,
  taskId: string,
  { history }: Pick<Services, "history">,
): Promise<boolean> {
  if (!needsOpenTask(route)) return false;
  return !SENT.has(route.name) || (await history.summary(taskId)).parentId !== undefined;
}

/** The answer of the worker that owns the task. @throws as {@link OwnerRequests.relay} does */
export async function relay(
  owners: OwnerRequests,
  taskId: string,
  request: Request,
  body: unknown,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const path = `${pathname.slice(pathname.indexOf("/api/"))}${search}`;
  const {
    status,
    headers,
    body: answer,
  } = await owners.relay(taskId, {
    method: request.method,
    path,
    ...(body !== undefined && { body }),
  });
  const type = headers.get("content-type");
  return new Response(answer, {
    status,
    headers: { ...SECURITY_HEADERS, ...NO_STORE, ...(type !== null && { "content-type": type }) },
  });
}
