import { performance } from "node:perf_hooks";
import type { Metric } from "./metric.ts";

/** Of this process, under the names that every exporter gives them. */
export function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const one = (type: Metric["type"], name: string, help: string, value: number): Metric => ({
    name,
    type,
    help,
    samples: [{ labels: {}, value }],
  });
  return [
    one("counter", "process_cpu_seconds_total", "CPU time, user and system", (user + system) / 1e6),
    one("gauge", "process_resident_memory_bytes", "Resident memory", rss),
    one("gauge", "process_start_time_seconds", "When the process started", performance.timeOrigin / 1_000),
    one("gauge", "nodejs_heap_size_used_bytes", "Memory that JavaScript uses", heapUsed),
    one(
      "gauge",
      "nodejs_eventloop_utilization",
      "How much of its time the event loop was busy, from 0 to 1, since the start",
      performance.eventLoopUtilization().utilization,
    ),
  ];
}
