// The query editor: CodeMirror in a shadow root, where its styles are adopted sheets. In the document
// they would be inline styles, which the content security policy forbids.

import { autocompletion, closeBrackets, completionKeymap, type CompletionSource } from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { sparql } from 'codemirror-lang-sparql';
import { complete } from './complete';
import type { ErrorPlace } from './operation';

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.modifier], color: 'var(--info)', fontWeight: '600' },
  { tag: [tags.string, tags.literal], color: 'var(--keep)' },
  { tag: [tags.number, tags.integer, tags.float, tags.bool], color: 'var(--warn)' },
  { tag: [tags.variableName], color: 'var(--text)' },
  { tag: [tags.url, tags.namespace, tags.labelName, tags.typeName], color: 'var(--accent)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--drop)' },
]);

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--panel)', fontSize: '12.5px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '19px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--selected)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)', outline: '1px solid var(--edge)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--edge)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--selected)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '1em' },
  '.cm-specialChar': { color: 'var(--drop)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--drop)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--drop)' },
});

// When text replaces a selection, Chromium adds an inline style, which the policy reports. So the editor
// replaces the selection itself.
const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const text = event.data;
    if (event.inputType !== 'insertText' || event.isComposing || empty || !text) return false;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
    const isHandled = view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, text, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});

export interface QueryEditor {
  text: string;
  focus(): void;
  // Marks where an error is; without one, removes the mark.
  mark(place: ErrorPlace | undefined, message: string): void;
  goTo(place: ErrorPlace): void;
  destroy(): void;
}

interface EditorOptions {
  host: HTMLElement;
  label: string;
  text: string;
  onchange: (text: string) => void;
  onrun: () => void;
}

export function createEditor({ host, label, text, onchange, onrun }: EditorOptions): QueryEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const run = Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (onrun(), true) }]));
  const extensions = [
    run,
    replaceSelection,
    lineNumbers(),
    history(),
    drawSelection(),
    // Hidden and bidirectional characters of a shared query are visible.
    highlightSpecialChars(),
    bracketMatching(),
    closeBrackets(),
    EditorView.lineWrapping,
    autocompletion({ override: [complete as CompletionSource], icons: false }),
    keymap.of([...completionKeymap, ...historyKeymap, ...standardKeymap]),
    sparql(),
    syntaxHighlighting(colors),
    theme,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off' }),
    EditorView.updateListener.of((update) => update.docChanged && onchange(update.state.doc.toString())),
  ];
  const view = new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) });

  const offset = ({ line, column }: ErrorPlace) => {
    const found = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
    return Math.min(found.to, found.from + column - 1);
  };
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(value: string) {
      if (value !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
    },
    focus: () => view.focus(),
    mark(place, message) {
      const diagnostics: Diagnostic[] = [];
      if (place) {
        const from = offset(place);
        const word = view.state.wordAt(from);
        diagnostics.push({ from: word?.from ?? Math.max(0, from - 1), to: word?.to ?? Math.min(view.state.doc.length, from + 1), severity: 'error', message });
      }
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goTo(place) {
      view.dispatch({ selection: { anchor: offset(place) }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}
