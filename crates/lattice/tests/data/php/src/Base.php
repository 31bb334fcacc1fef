<?php
namespace Shop;

abstract class Base
{
    public function note(string $text): void {}
}

trait Notes {}

class Log
{
    public function put(string $text): void {}
}
