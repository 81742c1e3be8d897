// Metrics of the service in the OpenMetrics text format.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/.exec(line);
    if (found === null) return [];
    const labels = [...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name!, value!.replace(/\\(.)/g, '$1')]);
    return [{ name: found[1]!, labels: Object.fromEntries(labels), value: Number(found[3]) }];
  });
}

export const valueOf = (samples: Sample[], name: string): number | undefined => samples.find((sample) => sample.name === name)?.value;

export interface RouteLoad {
  route: string;
  requests: number;
  errors: number;
  // Mean time until the response began, in seconds.
  mean: number;
}

export function routesOf(samples: Sample[]): RouteLoad[] {
  const routes = new Map<string, RouteLoad & { sum: number; timed: number }>();
  for (const { name, labels, value } of samples) {
    if (labels['route'] === undefined || !name.startsWith('lodeward_http_request')) continue;
    const key = `${labels['method']} ${labels['route']}`;
    const route = routes.get(key) ?? { route: key, requests: 0, errors: 0, mean: 0, sum: 0, timed: 0 };
    routes.set(key, route);
    if (name === 'lodeward_http_requests_total') {
      route.requests += value;
      if (Number(labels['status']) >= 400) route.errors += value;
    } else if (name.endsWith('_sum')) route.sum += value;
    else if (name.endsWith('_count')) route.timed += value;
  }
  return [...routes.values()].map(({ sum, timed, ...route }) => ({ ...route, mean: timed === 0 ? 0 : sum / timed })).sort((a, b) => b.requests - a.requests);
}

export function serverErrors(samples: Sample[]): number {
  const failed = samples.filter(({ name, labels }) => name === 'lodeward_http_requests_total' && Number(labels['status']) >= 500);
  return failed.reduce((sum, { value }) => sum + value, 0);
}
