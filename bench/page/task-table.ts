import type { TaskInfo } from "../../wire/http/api.ts";
import type { Measured } from "./browser.ts";

const MINUTE_MS = 60_000;

/** The list of a server with this many tasks, one in five of them a subtask, as an event stream. */
function taskStream(tasks: number): string {
  const list = Array.from({ length: tasks }, (_, index) => taskAt(index));
  return `retry: 1000000\nevent: tasks\ndata: ${JSON.stringify({ tasks: list })}\n\n`;
}

function taskAt(index: number): TaskInfo {
  const isFailed = index % 20 === 7;
  return {
    id: `task-${index}`,
    title: `Task number ${index} of a long list`,
    state: "idle",
    path: "idle",
    rest: isFailed ? "failed" : "completed",
    ...(isFailed && { error: { code: "overloaded_error", message: "529 overloaded" } }),
    ...(index % 5 === 4 && { parentId: `task-${index - 1}` }),
    mode: "code",
    workspace: `/src/project-${index % 12}`,
    cost: (index % 300) / 100,
    requests: index % 90,
    createdAt: index * MINUTE_MS,
    updatedAt: (index + (index % 40)) * MINUTE_MS,
    isOpen: false,
    asks: [],
  };
}

/** Open the list of a page at `url` with this many tasks. */
export async function openTaskTable({ page }: Measured, url: string, tasks: number): Promise<void> {
  const body = taskStream(tasks);
  await page.route("**/api/**", (route) =>
    new URL(route.request().url()).pathname === "/api/events"
      ? route.fulfill({ contentType: "text/event-stream", body })
      : route.fulfill({ contentType: "application/json", body: "{}" }),
  );
  await page.goto(`${url}#q=-none`);
  await page.locator(".sb-table-row").first().waitFor({ timeout: 60_000 });
}

/** A script for the page: it scrolls the table by 15 rows each frame and returns the frame times. */
export const scrolled = (steps: number): string => `new Promise((resolve) => {
  const table = document.querySelector(".sb-table");
  const frames = [];
  let before;
  const step = (now) => {
    if (before !== undefined) frames.push(now - before);
    before = now;
    if (frames.length === ${steps}) return resolve(frames);
    table.scrollTop += 510;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;
