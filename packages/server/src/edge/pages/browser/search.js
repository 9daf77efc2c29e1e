// Searches the documentation. The index is loaded when the search is first used.
{
  const root = document.querySelector('.site').dataset.root;
  const input = document.getElementById('search');
  const panel = document.querySelector('.search .panel');
  const list = document.getElementById('found');
  const status = panel.querySelector('[role=status]');
  const mostResults = 12;
  const mostOfOnePage = 3;

  /** Lower case, with a space before each word. */
  const wordsOf = (text) =>
    ` ${text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_]+/gu, ' ')
      .trim()}`;

  let index;
  function loadIndex() {
    index ??= fetch(`${root}search.json`)
      .then((response) => (response.ok ? response.json() : Promise.reject(new Error(response.status))))
      .then((pages) => pages.flatMap(entriesOf))
      .catch((error) => {
        index = undefined;
        throw error;
      });
    return index;
  }

  function entriesOf([path, title, section, parts]) {
    return parts.map(([anchor, heading, text]) => ({
      page: path,
      href: root + path + (anchor && `#${anchor}`),
      title,
      section,
      heading,
      text,
      // The title counts for the beginning of its page only.
      inTitle: heading === '' ? wordsOf(title) : '',
      inHeading: wordsOf(heading),
      inText: wordsOf(`${text} ${title}`),
    }));
  }

  /** "signing" finds "signed" and "sign"; a word as written ranks before its other forms. */
  const stemOf = (word) => (word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|y)$/, '') : word);

  const rank = (text, word, stem) => {
    if (`${text} `.includes(` ${word} `)) return 3;
    return text.includes(` ${word}`) ? 2 : Number(text.includes(` ${stem}`));
  };

  function scoreOf(entry, words) {
    let score = 0;
    for (const [word, stem] of words) {
      const found =
        100 * rank(entry.inTitle, word, stem) + 10 * rank(entry.inHeading, word, stem) + rank(entry.inText, word, stem);
      if (found === 0) return 0;
      score += found;
    }
    return score;
  }

  function search(entries, query) {
    const words = wordsOf(query)
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => [word, stemOf(word)]);
    if (words.length === 0) return undefined;
    const perPage = new Map();
    const results = entries
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .filter(({ entry: { page } }) => {
        perPage.set(page, (perPage.get(page) ?? 0) + 1);
        return perPage.get(page) <= mostOfOnePage;
      });
    return { words, results: results.slice(0, mostResults).map(({ entry }) => entry) };
  }

  const element = (name, className, ...children) => {
    const made = document.createElement(name);
    made.className = className;
    made.append(...children);
    return made;
  };

  /** The text around the first word that it contains, with all words marked. */
  function excerptOf(text, words) {
    const form = new RegExp(
      `(?<![\\p{L}\\p{N}_])(?:${words.map(([, stem]) => stem).join('|')})[\\p{L}\\p{N}_]*`,
      'giu',
    );
    const first = text.search(form);
    const from = first < 60 ? 0 : text.indexOf(' ', first - 50) + 1;
    const to = text.length - from < 160 ? text.length : text.lastIndexOf(' ', from + 160);
    const shown = text.slice(from, to);
    const pieces = [];
    let end = 0;
    for (const { 0: word, index: at } of shown.matchAll(form)) {
      pieces.push(shown.slice(end, at), element('mark', '', word));
      end = at + word.length;
    }
    return [from > 0 ? '… ' : '', ...pieces, shown.slice(end), to < text.length ? ' …' : ''];
  }

  function optionOf({ href, title, section, heading, text }, i, words) {
    const name = element('strong', '', heading === '' ? title : `${title} › ${heading}`);
    const option = element('a', '', element('span', 'where', section), name);
    if (text !== '') option.append(element('span', 'excerpt', ...excerptOf(text, words)));
    option.href = href;
    option.id = `found-${i}`;
    option.tabIndex = -1;
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    return option;
  }

  let selected = -1;

  function select(next) {
    const options = [...list.children];
    options[selected]?.setAttribute('aria-selected', 'false');
    selected = options.length === 0 ? -1 : (next + options.length) % options.length;
    const option = options[selected];
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
  }

  function show(isOpen) {
    panel.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
  }

  async function update() {
    const query = input.value;
    const entries = await loadIndex();
    if (query !== input.value) return;
    const found = search(entries, query);
    show(found !== undefined);
    list.replaceChildren(...(found?.results ?? []).map((entry, i) => optionOf(entry, i, found.words)));
    selected = -1;
    select(0);
    const count = list.children.length;
    const some = count === 1 ? '1 result' : `${count} results`;
    status.textContent = count === 0 ? 'No page contains all of these words.' : some;
  }

  function refresh() {
    update().catch(() => {
      show(true);
      list.replaceChildren();
      status.textContent = 'The search could not be loaded. Try again.';
    });
  }

  const keys = {
    ArrowDown: () => select(selected + 1),
    ArrowUp: () => select(selected - 1),
    Enter: () => list.children[selected]?.click(),
    Escape: () => {
      if (panel.hidden) input.blur();
      show(false);
    },
  };

  input.addEventListener('input', refresh);
  input.addEventListener('focus', refresh);
  input.addEventListener('keydown', (event) => {
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (act === undefined || event.isComposing) return;
    event.preventDefault();
    act();
  });
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (key !== '/' || ctrlKey || metaKey || altKey || target.matches('input, textarea, select')) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  document.addEventListener('click', ({ target }) => {
    if (!target.closest('.search') || target.closest('[role=option]')) show(false);
  });
}
