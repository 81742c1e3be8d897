// Errors of requests, as problems (RFC 9457) or failures to reach the service.

import { messages } from '../messages';

export interface ErrorAt {
  at?: string;
  detail: string;
  hint?: string;
  from?: number;
  to?: number;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly errors: ErrorAt[];
  readonly document: Record<string, unknown>;

  constructor(status: number, document: Record<string, unknown>, requestId?: string) {
    super(String(document['detail'] ?? document['title'] ?? messages.requestFailed(status)));
    this.status = status;
    this.document = document;
    this.code = String(document['code'] ?? '');
    this.hint = document['hint'] === undefined ? undefined : String(document['hint']);
    this.errors = Array.isArray(document['errors']) ? (document['errors'] as ErrorAt[]) : [];
    this.requestId = requestId;
  }

  // Whether no response came from the service.
  get isOffline(): boolean {
    return this.status === 0;
  }

  static offline(): Problem {
    return new Problem(0, { detail: messages.unreachable, code: 'offline', hint: messages.unreachableHint });
  }

  static of(error: unknown): Problem {
    if (error instanceof Problem) return error;
    return new Problem(-1, { detail: error instanceof Error ? error.message : String(error), code: 'page' });
  }

  static async fromResponse(response: Response): Promise<Problem> {
    const text = await response.text().catch(() => '');
    const id = response.headers.get('x-request-id') ?? undefined;
    return new Problem(response.status, parse(text) ?? { detail: messages.requestFailed(response.status) }, id);
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
