<?php
// A shop in Laravel that knows nothing of Singleshot: SHOP=folder php -S 127.0.0.1:PORT laravel_shop.php

require 'Illuminate/autoload.php';

use Illuminate\Cookie\Middleware\{AddQueuedCookiesToResponse, EncryptCookies};
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Http\Middleware\TrustProxies;
use Illuminate\Http\Request;
use Illuminate\Session\Middleware\StartSession;
use Illuminate\Support\Facades\{DB, Route};

$folder = getenv('SHOP');
foreach (['bootstrap/cache', 'sessions'] as $part) {
    is_dir("$folder/$part") || @mkdir("$folder/$part", 0700, true);
}
touch("$folder/shop.db");

class Proxies extends TrustProxies
{
    protected $proxies = '*'; // what docs/guide.md says to set behind ORIGIN_URL
}

class Kernel extends Illuminate\Foundation\Http\Kernel
{
    protected $bootstrappers = [
        Illuminate\Foundation\Bootstrap\RegisterFacades::class,
        Illuminate\Foundation\Bootstrap\RegisterProviders::class,
        Illuminate\Foundation\Bootstrap\BootProviders::class,
    ];
    protected $middleware = [
        Proxies::class, EncryptCookies::class, AddQueuedCookiesToResponse::class, StartSession::class, VerifyCsrfToken::class,
    ];
}

$app = new Illuminate\Foundation\Application($folder);
$app->instance('config', new Illuminate\Config\Repository([
    'app' => [
        'key' => 'base64:' . base64_encode(str_repeat('k', 32)), 'cipher' => 'AES-256-CBC', 'locale' => 'en', 'fallback_locale' => 'en',
        'debug' => false, 'url' => 'http://localhost', 'aliases' => [], 'providers' => [
            Illuminate\Cookie\CookieServiceProvider::class, Illuminate\Database\DatabaseServiceProvider::class,
            Illuminate\Encryption\EncryptionServiceProvider::class, Illuminate\Filesystem\FilesystemServiceProvider::class,
            Illuminate\Foundation\Providers\FoundationServiceProvider::class, Illuminate\Session\SessionServiceProvider::class,
            Illuminate\Translation\TranslationServiceProvider::class, Illuminate\Validation\ValidationServiceProvider::class,
            Illuminate\View\ViewServiceProvider::class,
        ],
    ],
    'database' => ['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => "$folder/shop.db", 'prefix' => '']]],
    'session' => [
        'driver' => 'file', 'files' => "$folder/sessions", 'cookie' => 'shop_session', 'lifetime' => 120, 'lottery' => [0, 1],
        'path' => '/', 'domain' => null, 'secure' => null, 'http_only' => true, 'same_site' => 'lax', 'expire_on_close' => false,
    ],
    'view' => ['paths' => [], 'compiled' => $folder],
]));
$app->singleton(Illuminate\Contracts\Http\Kernel::class, Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);

function page(string $title, string $action, bool $edits = false): string
{
    $errors = session('errors') ? implode(' ', session('errors')->all()) : '';
    return '<!doctype html><html lang="en"><title>Shop</title><p role="status">' . e(session('status')) . '</p><h1>' . e($title) . '</h1>'
        . '<form method="post" enctype="multipart/form-data" action="' . e($action) . '">' . csrf_field() . ($edits ? method_field('PATCH') : '')
        . '<input name="amount" value="' . e(old('amount')) . '"><input type="file" name="photo">' . e($errors) . '<button>Save</button></form>'
        . '<form method="post" action="/logout">' . csrf_field() . '<button>Sign out</button></form>';
}

function place(Request $request)
{
    $request->validate(['amount' => 'required|integer|min:1']); // else back to the form, with the errors in the session: 302
    $id = DB::table('orders')->insertGetId(['amount' => $request->amount, 'photo' => $request->file('photo')?->getClientOriginalName()]);
    return redirect("/orders/$id")->with('status', 'Order placed');
}

$app->booted(function () {
    DB::statement('PRAGMA busy_timeout = 20000');
    DB::statement('CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, amount INTEGER, photo TEXT)');
    Route::get('/', fn () => (string) DB::table('orders')->count());
    Route::get('/orders/new', fn () => page('New order', '/orders'));
    Route::post('/orders', fn (Request $request) => place($request));
    Route::get('/orders/{id}', function (int $id) {
        $order = DB::table('orders')->find($id);
        return page("Order $id: $order->amount $order->photo", "/orders/$id", true);
    });
    Route::patch('/orders/{id}', function (Request $request, int $id) {
        $request->validate(['amount' => 'required|integer|min:1']);
        DB::table('orders')->where('id', $id)->update(['amount' => $request->amount]);
        return redirect("/orders/$id");
    });
    Route::get('/members/orders/new', fn () => page('New order', '/members/orders'));
    Route::post('/members/orders', fn (Request $request) => session('user') ? place($request) : redirect()->guest('/login'));
    Route::get('/sign-in', function () {
        session(['user' => 'ada']);
        return redirect('/');
    });
    Route::post('/logout', function (Request $request) {
        $request->session()->invalidate();
        $request->session()->regenerateToken();
        return redirect('/');
    });
});

$kernel = $app->make(Illuminate\Contracts\Http\Kernel::class);
$response = $kernel->handle($request = Request::capture())->send();
$kernel->terminate($request, $response);
