#include "src/pictures/timeline/timeline-page.h"

#include <string.h>

#include "src/pictures/drawing/picture-frame.h"

enum { SHA256_BYTES = 32 };

static const char style[] = ":root{color-scheme:light dark}.xt{width:100%;height:auto}.xt-dragged{cursor:crosshair}"
                            ".xt .xt-drag{fill:#0969da;fill-opacity:.25}.xt .xt-cross{stroke:#59636e}"
                            ".xt-scroller{overflow-x:auto}.xt-scroller .xt{min-width:1200px}.xt-narrow{display:none}"
                            "@media(max-width:1199px){.xt-narrow{display:block;margin:4px 8px}}";

/* The text of the script element. `w` is the window of the picture, from the element before. Pixels are the picture's,
 * at any scale. */
static const char script[] =
    "//<![CDATA[\n"
    "(function(){var w=JSON.parse(document.getElementById('xt-window').textContent);\n"
    "var s=document.querySelector('svg.xt');s.classList.add('xt-dragged');var "
    "ns='http://www.w3.org/2000/svg',start=null,moved=false;\n"
    "function add(n,c){var e=document.createElementNS(ns,n);e.setAttribute('class',c);"
    "e.setAttribute('pointer-events','none');s.appendChild(e);return e}\n"
    "function set(e,a){for(var k in a)e.setAttribute(k,a[k])}\n"
    "var drag=add('rect','xt-drag'),cross=add('path','xt-cross'),label=add('text','xt-dim'),"
    "h=s.viewBox.baseVal.height;\n"
    "function x(e){var r=s.getBoundingClientRect();"
    "return Math.min(Math.max((e.clientX-r.left)*1600/r.width,w.left),w.left+w.width)}\n"
    "function time(p){return w.from+(p-w.left)/w.width*(w.to-w.from)}\n"
    "function go(a,b){var t=Math.pow(10,-w.digits);a=Math.max(a,w.first);b=Math.max(Math.min(b,w.last),a+t);"
    "if(w.windows)enter(a,b);else if(a<w.last)location.href=w.up+'time/'+a.toFixed(w.digits)+'-'+"
    "b.toFixed(w.digits)+'/'+w.rest+w.file}\n"
    "function enter(a,b){var t=1.5*Math.pow(10,-w.digits),d=w.to-w.from,all=w.windows;\n"
    "function size(v){return v[1]-v[0]}function shared(v){return Math.min(v[1],b)-Math.max(v[0],a)}\n"
    "function least(f){return all.filter(f).sort(function(u,v){return size(u)-size(v)})[0]}\n"
    "function shown(v){return Math.abs(v[0]-w.from)<=t&&Math.abs(v[1]-w.to)<=t}\n"
    "var l=b-a>d+t?least(function(v){return size(v)>d+t&&v[0]<=w.from+t&&v[1]>=w.to-t}):"
    "least(function(v){return v[0]<=a+t&&v[1]>=b-t});\n"
    "if(l&&shown(l)&&b-a<d-t)l=all.filter(function(v){return size(v)<d-t}).sort(function(u,v){"
    "return shared(v)-shared(u)||size(v)-size(u)})[0];\n"
    "l=l||all[0];if(!shown(l)&&shared(l)>0)location.href=l[2]}\n"
    "s.addEventListener('mousedown',function(e){if(e.button===0){start=x(e);moved=false;e.preventDefault()}});\n"
    "window.addEventListener('mousemove',function(e){var p=x(e);set(cross,{d:'M'+p+' 68V'+(h-28)});"
    "set(label,{x:Math.min(p+4,1500),y:h-4});label.textContent=time(p).toFixed(w.digits)+' s';\n"
    "if(start!==null){moved=moved||Math.abs(p-start)>=4;"
    "set(drag,{x:Math.min(p,start),y:68,width:Math.abs(p-start),height:h-96})}});\n"
    "window.addEventListener('mouseup',function(e){if(start===null)return;var a=start,b=x(e);start=null;"
    "set(drag,{width:0});if(moved)go(time(Math.min(a,b)),time(Math.max(a,b)))});\n"
    "s.addEventListener('click',function(e){if(moved){e.preventDefault();e.stopPropagation();moved=false}},true);\n"
    "window.addEventListener('keydown',function(e){var d=w.to-w.from,m=(w.from+w.to)/2;\n"
    "if(e.ctrlKey||e.altKey||e.metaKey)return;\n"
    "if(e.key==='ArrowLeft')go(w.from-d,w.from-d<w.first?w.first+d:w.from);"
    "else if(e.key==='ArrowRight'){if(w.to<w.last)go(w.to,w.to+d)}\n"
    "else if(e.key==='+')go(m-d/20,m+d/20);else if(e.key==='-')go(m-d*5,m+d*5);\n"
    "else if(e.key==='0')location.href=w.windows?w.windows[0][2]:w.up+w.rest+w.file;"
    "else if(e.key==='p'&&!w.windows)location.href='profile.svg'});})();\n"
    "//]]>";

/* Writes the policy of a page for browsers: they run the page's own script alone, by its checksum, and load nothing. A
 * name that got into the page as markup could neither act nor send anything. */
static void draw_policy(XtfDrawing *drawing)
{
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[SHA256_BYTES];
    gsize size = sizeof digest;

    g_checksum_update(checksum, (const guchar *)script, sizeof script - 1);
    g_checksum_get_digest(checksum, digest, &size);
    g_autofree char *text = g_base64_encode(digest, size);
    xtf_draw(drawing,
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-%s'; "
             "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\"/>",
             text);
}

void xtf_timeline_page_begin(XtfDrawing *drawing, const XtfPictureJob *job, const char *title, const char *styles)
{
    const char *name = job->views->context->name;

    xtf_draw(drawing, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head>"
                      "<meta charset=\"utf-8\"/>");
    draw_policy(drawing);
    xtf_draw(drawing, "<title>");
    if (name) {
        xtf_draw_text(drawing, name, XTF_TITLE_NAME);
        xtf_draw(drawing, ": ");
    }
    xtf_draw_text(drawing, title, XTF_TITLE_NAME);
    xtf_draw(drawing, "</title>\n<style>%s%s</style></head><body>\n", style, styles);
}

void xtf_timeline_page_scroller(XtfDrawing *drawing)
{
    xtf_draw(drawing, "<p class=\"xt-narrow\">The timeline is wider than this window: scroll it to the right.</p>\n"
                      "<div class=\"xt-scroller\" tabindex=\"0\" role=\"region\" aria-label=\"timeline\">\n");
}

static void draw_time(XtfDrawing *drawing, const char *name, const XtfTimeScale *scale, uint64_t t)
{
    char text[XTF_TIME_TEXT_MAX], *begin = text + sizeof text - 1;

    *begin = '\0';
    xtf_draw(drawing, "\"%s\":%s,", name, xtf_time_scale_put(scale, t - MIN(t, scale->origin), begin));
}

void xtf_timeline_page_script(XtfDrawing *drawing, const XtfPictureJob *job)
{
    const XtfTimeScale *scale = &job->views->context->scale;
    g_auto(XtfPictureLinks) links = {0};
    uint64_t from, to;

    xtf_picture_links_init(&links, job->views->context, job->selection, job->depth);
    xtf_selection_window(job->selection, scale, &from, &to);
    g_autofree char *whole = xtf_picture_link_whole(&links);
    if (!whole) /* no directory has the selection in another window */
        return;
    xtf_draw(drawing, "<script type=\"application/json\" id=\"xt-window\">{");
    draw_time(drawing, "from", scale, from);
    draw_time(drawing, "to", scale, to);
    draw_time(drawing, "first", scale, scale->origin);
    draw_time(drawing, "last", scale, scale->end);
    xtf_draw(drawing,
             "\"digits\":%u,\"left\":%d,\"width\":%d,\"up\":\"%s\",\"rest\":\"%s\",\"file\":\"%s\"}</script>\n"
             "<script>%s</script>\n",
             scale->digits, XTF_PICTURE_LEFT, XTF_PICTURE_PLOT, links.up, whole + strlen(links.up), job->file, script);
}
