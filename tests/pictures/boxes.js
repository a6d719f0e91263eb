// What a page with pictures looks like, in words: complaints about texts and shapes, and the colours of texts and of what is below them.

const SHAPES = 'rect,path,circle,image,line,polygon'

function name(element) {
    const text = element.querySelector(':scope > title')?.textContent ?? element.textContent
    return `${element.tagName}.${element.getAttribute('class') ?? ''} '${text.slice(0, 40)}'`
}

// Boxes of texts, which take space where there are letters, in the picture's own pixels.
function textsOf(svg) {
    const origin = svg.getBoundingClientRect(), view = svg.viewBox.baseVal, scale = origin.width / view.width
    return [...svg.querySelectorAll('text')].filter(text => text.textContent.trim() !== '').map(element => {
        const box = element.getBoundingClientRect()
        return {
            element,
            left: (box.left - origin.left) / scale + view.x, right: (box.right - origin.left) / scale + view.x,
            top: (box.top - origin.top) / scale + view.y, bottom: (box.bottom - origin.top) / scale + view.y,
        }
    })
}

// No text is over another by more than 3 pixels of its height.
function overlaps(texts) {
    const found = [], open = []
    for (const text of texts.toSorted((a, b) => a.top - b.top)) {
        for (const other of open) {
            const height = Math.min(text.bottom, other.bottom) - text.top, width = Math.min(text.right, other.right) - Math.max(text.left, other.left)
            if (height > 3 && width > 0.5)
                found.push(`${name(text.element)} is over ${name(other.element)} by ${width.toFixed(1)} x ${height.toFixed(1)}`)
        }
        open.push(text)
        open.splice(0, open.length, ...open.filter(other => other.bottom > text.top))
    }
    return found
}

function outside(svg, texts) {
    const {x, y, width, height} = svg.viewBox.baseVal, right = x + width, bottom = y + height, found = []
    for (const text of texts)
        if (text.left < x || text.right > right || text.top < y || text.bottom > bottom)
            found.push(`${name(text.element)} is outside: ${text.left.toFixed(1)} to ${text.right.toFixed(1)}`)
    for (const shape of svg.querySelectorAll(SHAPES)) {
        const box = shape.getBBox()
        if (box.x < x - 1 || box.y < y - 1 || box.x + box.width > right + 1 || box.y + box.height > bottom + 1)
            found.push(`${name(shape)} is outside: ${box.x}, ${box.y}, ${box.width} x ${box.height}`)
    }
    return found
}

// A name stays in its bar.
function overruns(svg, texts) {
    const found = []
    const bars = [...svg.querySelectorAll('.xt-call,.xt-box')].map(bar => bar.getBBox())
    for (const text of texts.filter(text => /xt-on-/.test(text.element.getAttribute('class')))) {
        const y = (text.top + text.bottom) / 2, x = text.left + 1
        const bar = bars.filter(bar => bar.x <= x && x < bar.x + bar.width && bar.y <= y && y < bar.y + bar.height)[0]
        if (!bar || text.right > bar.x + bar.width)
            found.push(`${name(text.element)} leaves its bar`)
    }
    return found
}

function small(texts) {
    return texts.filter(text => parseFloat(getComputedStyle(text.element).fontSize) < 10.5).map(text => `${name(text.element)} is small`)
}

function problems() {
    const found = {}
    for (const svg of document.querySelectorAll('svg.xt')) {
        const texts = textsOf(svg)
        found[svg.closest('[id]').id] = {texts: texts.length, problems: [...overlaps(texts), ...outside(svg, texts), ...overruns(svg, texts), ...small(texts)]}
    }
    return found
}

// The colour that is seen around the letters of a text: of their halo, or of what is below the text's middle.
function groundOf(text) {
    const own = getComputedStyle(text)
    if (own.paintOrder.startsWith('stroke') && own.stroke.startsWith('rgb'))
        return own.stroke
    const box = text.getBoundingClientRect(), layers = []
    for (const element of document.elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)) {
        const style = getComputedStyle(element)
        if (!element.matches(SHAPES) || element.tagName === 'image' || !style.fill.startsWith('rgb'))
            continue
        layers.push([style.fill.match(/[0-9]+/g).map(Number), Number(style.fillOpacity)])
        if (style.fillOpacity === '1')
            break
    }
    const seen = layers.reduceRight((below, [colour, opacity]) => colour.map((c, i) => c * opacity + below[i] * (1 - opacity)), [255, 255, 255])
    return `rgb(${seen.map(Math.round).join(', ')})`
}

// Pairs of colours of texts and of the grounds below them, each with one of the texts.
function pairs() {
    const found = {}
    for (const text of document.querySelectorAll('svg.xt text'))
        if (text.textContent.trim() !== '')
            found[getComputedStyle(text).fill + ' on ' + groundOf(text)] = name(text)
    return found
}

// ---- Of a page, what is no picture.

// Lines of text in a page, and boxes of its pictures, none of which may be over another.
function linesOf(page) {
    const walk = document.createTreeWalker(page, NodeFilter.SHOW_TEXT), found = []
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const element = node.parentElement
        if (node.data.trim() === '' || element.closest('svg,script,style'))
            continue
        const range = document.createRange()
        range.selectNodeContents(node)
        for (const box of range.getClientRects())
            if (box.width > 0)
                found.push({element, left: box.left, right: box.right, top: box.top, bottom: box.bottom})
    }
    return found
}

function picturesOf(page) {
    return [...page.querySelectorAll('svg.xt')].map(svg => {
        const shown = (svg.closest('.xi-wide, .xt-scroller') ?? svg).getBoundingClientRect()
        return {element: svg, left: shown.left, right: shown.right, top: shown.top, bottom: shown.bottom}
    })
}

// The page has no more width than its window has: what is wider moves in a room of its own.
function pageProblems() {
    const lines = linesOf(document.body), boxes = [...lines, ...picturesOf(document.body)], width = document.documentElement.clientWidth
    const found = boxes.filter(box => box.left < 0 || box.right > width + 0.5).map(box => `${name(box.element)} is outside: ${box.left} to ${box.right}`)
    if (document.documentElement.scrollWidth > width)
        found.push(`the page is ${document.documentElement.scrollWidth} pixels wide`)
    return {texts: lines.length, problems: [...overlaps(boxes), ...found, ...small(lines)]}
}

// As pairs(): letters outside pictures are on the ground of what they are in.
function pagePairs() {
    const found = {}
    for (const {element} of linesOf(document.body)) {
        let ground = element
        while (ground !== document.body && getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)')
            ground = ground.parentElement
        found[getComputedStyle(element).color + ' on ' + getComputedStyle(ground).backgroundColor] = name(element)
    }
    return found
}
