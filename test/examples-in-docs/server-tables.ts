import { ROUTES } from "../../server/routes/routes.ts";
import { sessionRoute } from "../../server/routes/server.ts";
import { formatCell } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";

/** The routes of a server, with the codes of their own errors. */
export function routeTable(): string {
  const routes = [sessionRoute({ exchange: (token) => token }), ...ROUTES];
  return formatTable(
    ["request", "effect or response", "[codes](errors.md) of its errors"],
    routes.map(({ method, path, summary, problems }) => [
      `\`${method.toUpperCase()} ${path}\``,
      formatCell(summary),
      problems.map((code) => `\`${code}\``).join(" "),
    ]),
  );
}
