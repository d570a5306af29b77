import { type ListSessionsResponse, RequestError, type SessionInfo } from "@agentclientprotocol/sdk/unstable";
import type { TaskSummary } from "../../store/task-history/summary.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";

/** Sessions in one response. */
const PAGE = 100;

/** Format milliseconds since 1970 as ISO 8601. */
export const formatTime = (ms: number): string => new Date(ms).toISOString();

/**
 * A page of the sessions, newest first. Subtasks, tasks without a workspace and unreadable ones are left out.
 *
 * @param cwd only sessions of this workspace
 * @param cursor the `nextCursor` of the page before
 * @throws RequestError for a cursor that is none @throws TaskHistoryError `HISTORY_IO`
 */
export async function listSessions(
  history: TaskHistory,
  cwd: string | undefined,
  cursor: string | undefined,
): Promise<ListSessionsResponse> {
  const start = cursor === undefined ? 0 : parseCursor(cursor);
  const summaries = await history.list(cwd === undefined ? {} : { workspace: cwd });
  const sessions = summaries.flatMap(sessionInfo);
  const end = start + PAGE;
  return {
    sessions: sessions.slice(start, end),
    ...(end < sessions.length && { nextCursor: String(end) }),
  };
}

function parseCursor(cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw RequestError.invalidParams(undefined, "expected the nextCursor of a response as the cursor");
}

function sessionInfo({ id, title, workspace, updatedAt, parentId, problem }: TaskSummary): SessionInfo[] {
  if (workspace === undefined || parentId !== undefined || problem?.kind === "unreadable") return [];
  return [{ sessionId: id, cwd: workspace, title, updatedAt: formatTime(updatedAt) }];
}
