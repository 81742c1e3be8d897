// All screens, with what shows that they are complete.
export const SCREENS = (crawl, iri) =>
  [
    ['#/crawls', 'h1'],
    [`#/crawls/${crawl}`, 'h2'],
    [`#/crawls/${crawl}/review`, '[role=row][aria-selected]'],
    [`#/crawls/${crawl}/domains`, 'table'],
    [`#/crawls/${crawl}/domains/${new URL(iri).host}`, 'section h2'],
    [`#/crawls/${crawl}/log`, 'table'],
    [`#/crawls/${crawl}/documents`, 'table'],
    [`#/crawls/${crawl}/explain?uri=${encodeURIComponent(iri)}`, 'dl'],
    [`#/crawls/${crawl}/explain?uri=${encodeURIComponent('http://unknown.example/')}`, '.empty'],
    [`#/crawls/${crawl}/export`, 'fieldset'],
    [`#/crawls/${crawl}/settings`, 'table'],
    ['#/new', 'textarea'],
    ['#/search', 'form'],
    ['#/search?q=evil%20rhythm%20opera', ':is(ol, .empty)'],
    [`#/entity?iri=${encodeURIComponent(iri)}`, 'svg'],
    ['#/entity?iri=javascript%3Awindow.pwned%3D1', 'section'],
    [`#/sparql?query=${encodeURIComponent(`SELECT * { <${iri}> ?p ?o }`)}`, 'button.primary'],
    ['#/search/clusters', '.empty'],
    ['#/links', '.empty'],
    ['#/archive/graphs', 'table'],
    ['#/archive/imports', 'section'],
    ['#/archive/rules', '.empty'],
    [`#/compare?a=${crawl}&b=${crawl}`, 'table'],
    ['#/admin/service', 'table'],
    ['#/admin/users', 'table'],
    ['#/admin/backups', '.empty'],
    ['#/admin/settings', 'table'],
    ['#/account', 'fieldset'],
    ['#/nothing', 'a.button'],
  ].map(([at, ready]) => ({ at, ready }));

export async function settled(page, { at, ready }) {
  await page.waitForFunction((at) => decodeURIComponent(location.hash).startsWith(decodeURIComponent(at)), at);
  await page.locator(`main ${ready}`).first().waitFor({ timeout: 10_000 });
  await page.waitForFunction(() => !document.querySelector('[role=status] .line'), undefined, { timeout: 10_000 });
}
