import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { root } from "../../examples-in-docs/program.ts";
import { build } from "../built.ts";
import { ClusterRig, childrenOf, clusterNode, endOf, query } from "./cluster-rig.ts";

const Task = z.object({ id: z.string(), rest: z.string().optional() });

describe.skipIf(clusterNode === undefined)("signalbox cluster dev, with its workers and its server", () => {
  let rig: ClusterRig;
  beforeAll(async () => {
    rig = new ClusterRig((await build()).bin);
  });
  afterAll(() => rig.remove());

  test("a task that a client starts at the printed address is completed by a worker, and the statements of the guide have results", async () => {
    const cluster = rig.start(rig.folder(), "--provider", "mock");
    await cluster.said("#token=");
    const [, url, token] = /^server: Open (\S+)\/#token=(\S+)$/m.exec(cluster.stdout) ?? [];
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const created = await fetch(`${url}/api/tasks`, { method: "POST", headers, body: '{"prompt":"Hello"}' });
    expect(created.status, cluster.stdout).toBe(201);
    const { id } = Task.parse(await created.json());
    await expect
      .poll(async () => Task.parse(await (await fetch(`${url}/api/tasks/${id}`, { headers })).json()).rest)
      .toBe("completed");
    const statements = /```sql\n([^`]*)```/.exec(
      readFileSync(path.join(root, "docs/guide/cluster.md"), "utf8"),
    );
    for (const statement of (statements?.[1] ?? "").split(";\n").filter((text) => text !== ""))
      expect(await query(cluster, statement)).toHaveLength(1);
    expect(statements?.[1]?.match(/^SELECT/gm)).toHaveLength(4);
    const pids = childrenOf(cluster);
    expect(pids).toHaveLength(4);
    cluster.child.kill("SIGINT");
    expect(await cluster.code).toBe(0);
    await endOf(pids);
  });
});
